# SPDX-License-Identifier: MIT
# bash completion for serialbundlectl. Commands and options are those of its --help, lines and
# bundles those of the program that runs; what can be set is listed here.

# Names of lines (device) or bundles (up), by the member that stands behind the name.
_serialbundlectl_names() {
	"${ctl[@]}" status -j 2>/dev/null |
		grep -o "\"name\":\"[^\"]*\",\"$1\"" | cut -d '"' -f 4
}

# The options that may change while it runs.
_serialbundlectl_options() {
	echo mode xmit-hash-policy packets-per-line tlb-dynamic-lb primary primary-reselect \
		ad-select min-links miimon updelay downdelay num-peer-notif peer-notif-delay \
		probe-interval probe-target probe-validate probe-missed-max shape shape-in tiers \
		tier-interactive tier-best-effort tier-bulk wash queue-bytes queue-time park-loss \
		park-delay park-for mtu hold min-lines max-lines hook-timeout capture-bytes \
		capture-files ip-up ip-down line-up line-down lock-dir
}

# The words that such an option takes, where it takes words.
_serialbundlectl_values() {
	case $1 in
	mode) echo earliest balance-rr active-backup balance-xor broadcast 802.3ad balance-tlb \
		balance-alb ;;
	xmit-hash-policy) echo layer2 layer2+3 layer3+4 encap2+3 encap3+4 vlan+srcmac ;;
	primary) _serialbundlectl_names device ;;
	primary-reselect) echo always better failure ;;
	ad-select) echo stable bandwidth count ;;
	probe-validate) echo none all filter ;;
	tiers) echo diffserv3 precedence besteffort ;;
	linklayer) echo exact raw atm adsl ptm conservative ipoa-vcmux ipoa-llcsnap \
		bridged-vcmux bridged-llcsnap pppoa-vcmux pppoa-llc pppoe-vcmux pppoe-llcsnap \
		pppoe-ptm bridged-ptm docsis ethernet ;;
	bps | mtu) echo auto ;;
	shape | shape-in) echo none ;;
	tlb-dynamic-lb | wash) echo yes no ;;
	esac
}

_serialbundlectl_words() {
	case $command,$place in
	,*) "${ctl[0]}" --help | awk '/^  [a-z]/ { print $1 }' ;;
	emancipate,0 | dial,0 | hangup,0) _serialbundlectl_names device ;;
	up,0 | down,0) _serialbundlectl_names device && _serialbundlectl_names up ;;
	set,0 | get,0)
		_serialbundlectl_names device
		_serialbundlectl_names up
		_serialbundlectl_options
		;;
	set,1 | get,1)
		if _serialbundlectl_names device | grep -qxF -- "${words[0]}"; then
			echo bps delay shape shape-in linklayer overhead mpu prio
		elif _serialbundlectl_names up | grep -qxF -- "${words[0]}"; then
			_serialbundlectl_options
		elif [[ $command == set ]]; then
			_serialbundlectl_values "${words[0]}"
		fi
		;;
	set,2) _serialbundlectl_values "${words[1]}" ;;
	show,0) echo config shaper ;;
	show,1) [[ ${words[0]} != shaper ]] || { _serialbundlectl_names device; _serialbundlectl_names up; } ;;
	capture,0) echo start stop - ;;
	capture,1) [[ ${words[0]} != - ]] || { _serialbundlectl_names device; _serialbundlectl_names up; } ;;
	capture,2) [[ ${words[0]} != start ]] || _serialbundlectl_names device ;;
	log,0) echo level error warning info debug ;;
	log,1) echo error warning info debug ;;
	esac
}

_serialbundlectl() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local command='' place=0 at word
	local -a words=() ctl=("${COMP_WORDS[0]}")

	# The options that say which program is asked are those of the question, too.
	for ((at = 1; at < COMP_CWORD; at++)); do
		word=${COMP_WORDS[at]}
		case $word in
		-s | -b | --socket | --bundle) ctl+=("$word" "${COMP_WORDS[++at]}") ;;
		-?*) ;;
		*) if [[ -z $command ]]; then command=$word; else words+=("$word"); fi ;;
		esac
	done
	place=${#words[@]}
	COMPREPLY=()
	case $previous in
	-s | --socket) mapfile -t COMPREPLY < <(compgen -f -- "$current") && return ;;
	-b | --bundle)
		word=$(cd /run/serialbundle 2>/dev/null && echo *.sock)
		mapfile -t COMPREPLY < <(compgen -W "${word//.sock/}" -- "$current") && return
		;;
	esac
	if [[ $current == -?* ]]; then
		word=$("${ctl[0]}" --help | grep -oE -- '(^| )--?[a-zA-Z][a-z-]*=?')
	elif [[ $command,$place == enslave,0 || ($command,$place == capture,1 && ${words[0]} != -) ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "${current:-/dev/tty}")
		return
	else
		word=$(_serialbundlectl_words)
	fi
	mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current")
}
complete -o filenames -o nosort -F _serialbundlectl serialbundlectl
