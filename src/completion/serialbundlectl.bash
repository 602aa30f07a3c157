# SPDX-License-Identifier: MIT
# bash completion for serialbundlectl. Commands and options are those of its --help, lines and
# bundles those of the program that runs, so nothing here has to follow them.

# Names of lines (device) or bundles (up), by the member that stands behind the name.
_serialbundlectl_names() {
	"${ctl[@]}" status -j 2>/dev/null |
		grep -o "\"name\":\"[^\"]*\",\"$1\"" | cut -d '"' -f 4
}

_serialbundlectl_words() {
	case $command,$place in
	,*) "${ctl[0]}" --help | awk '/^  [a-z]/ { print $1 }' ;;
	emancipate,0 | dial,0 | hangup,0) _serialbundlectl_names device ;;
	up,0 | down,0 | set,0) _serialbundlectl_names device && _serialbundlectl_names up ;;
	set,1) echo bps mtu min-lines max-lines ;;
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
