# SPDX-License-Identifier: MIT
# bash completion for serialbundle. Options and keys of lines are those of its --help.

_serialbundle_options() {
	"$1" --help | grep -oE -- '^ +(-[a-z], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+'
}

# "/dev/ttyS0:28800,ba": what is behind the last comma is a key or an encapsulation.
_serialbundle_keys() {
	local before=${2%,*},
	"$1" --help | sed -n '/keys:/,/words:/p' | grep -oE '[a-z-]+=|slip|ppp' | sed "s|^|$before|"
}

_serialbundle() {
	local current previous words
	# A colon and an equals sign are parts of words here.
	words=${COMP_LINE:0:COMP_POINT}
	current=${words##*[[:space:]]}
	previous=${COMP_WORDS[COMP_CWORD - 1]}
	COMPREPLY=()
	case $previous in
	--import) words="runslip ifupdown sqm" ;;
	--mode) words="earliest balance-rr active-backup balance-xor broadcast 802.3ad balance-tlb
		balance-alb" ;;
	--xmit-hash-policy) words="layer2 layer2+3 layer3+4 encap2+3 encap3+4 vlan+srcmac" ;;
	--primary-reselect) words="always better failure" ;;
	--ad-select) words="stable bandwidth count" ;;
	--probe-validate | --arp-validate) words="none all filter" ;;
	--tiers) words="diffserv3 precedence besteffort" ;;
	--tlb-dynamic-lb) words="yes no" ;;
	--control-group) words=$(compgen -g) ;;
	--fcs) words="16 32" ;;
	--config | -c | --check | --capture | --control | --ip-* | --line-* | --*-secrets | \
		--lock-dir | --resolv)
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		return
		;;
	*) words= ;;
	esac
	if [[ $current == -* ]]; then
		words=$(_serialbundle_options "${COMP_WORDS[0]}")
	elif [[ $current == *,* ]]; then
		words=$(_serialbundle_keys "${COMP_WORDS[0]}" "$current")
	elif [[ -z $words ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "${current:-/dev/tty}")
		return
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
	_serialbundle_trim "$current"
}

# readline splits words at a colon: what stands before its last one is there already.
_serialbundle_trim() {
	local there=${1%"${1##*[:=]}"} i
	[[ $COMP_WORDBREAKS == *:* && -n $there ]] || return 0
	for i in "${!COMPREPLY[@]}"; do
		COMPREPLY[i]=${COMPREPLY[i]#"$there"}
	done
}
complete -o filenames -o nosort -o nospace -F _serialbundle serialbundle
