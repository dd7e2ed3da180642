// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationCore
import POSIX

/// `orientctl completion`: the completions of a shell, whose script calls `orientctl __complete` at each tab.
enum Completion {
    static let command = Command(
        name: "completion",
        operands: "SHELL",
        summary: "print the completions for a shell",
        description: "Prints the completions for a shell. Packages install them, so that this is seldom needed.",
        printsJSON: false
    ) { invocation throws(CommandError) in
        let shell: Shell = try value(named: invocation.operands[0], "there are no completions for ")
        try emit([shell.script])
    }

    enum Shell: String, NamedValue { case bash, zsh, fish }

    // MARK: - What can be typed

    /// What can stand in place of the last of the words after `orientctl`, each with its explanation after a tab.
    ///
    /// `:files` stands for names of files, `:command INDEX` for the completions of the command line from that word on.
    static func candidates(for words: [String]) -> [String] {
        var options = Status.command.acceptedOptions
        var command: Command?
        var awaited: OptionParser.Option?
        var operandCount = 0
        for (index, word) in words.dropLast().enumerated() {
            if awaited != nil {
                awaited = nil
            } else if word.begins(with: "-") {
                awaited = options.first { option in
                    option.takesValue && (word == "--\(option.name)" || option.short.map { word == "-\($0)" } ?? false)
                }
            } else if let command {
                if command.hasCommandLine { return [":command \(index)"] }
                operandCount += 1
            } else {
                command = Command.all.first { $0.name == word }
                guard let command else { return [] }
                options = command.acceptedOptions
            }
        }
        let word = words.last ?? ""
        let option = awaited ?? options.first { $0.takesValue && word.begins(with: "--\($0.name)=") }
        let all: [String] =
            if let option {
                values(of: "\(option.value)", for: word)
            } else if word.begins(with: "-") {
                options.map { "--\($0.name)\($0.takesValue ? "=" : "")\t\($0.help)" }
            } else if let command, command.hasCommandLine {
                [":command \(words.count - 1)"]
            } else if let command {
                operandCount == 0 || command.takesSeveralOperands ? values(of: command.operands, for: word) : []
            } else {
                Command.all.map { "\($0.name)\t\($0.summary)" }
            }
        return all.filter { $0.begins(with: word) || $0.begins(with: ":") }
    }

    /// The values of a usage line's word, such as `[current|EDGE|off|toggle]`, after what `word` has before them.
    private static func values(of usage: String, for word: String) -> [String] {
        var names: [String] = []
        var separators = "="
        for part in usage.utf8.split(whereSeparator: { "[|]".utf8.contains($0) }).map({ String(Substring($0)) }) {
            let isLiteral = part.utf8.contains { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            switch isLiteral ? .words([part]) : Placeholder.named(part).values {
            case .words(let words): names += words
            case .list(let words): (names, separators) = (names + words, "=,")
            case .files: return [":files"]
            case .free: break
            }
        }
        let end = word.utf8.lastIndex { separators.utf8.contains($0) }.map { word.utf8.index(after: $0) }
        let start = String(word[..<(end ?? word.startIndex)])
        return names.map { start + $0 }
    }
}

// MARK: - Scripts

extension Completion.Shell {
    fileprivate var script: String {
        switch self {
        case .bash:
            #"""
            # bash completion for orientctl; "orientctl completion bash" prints it.
            _orientctl() {
                local words=() starts=() kind=-f index word isJoined=
                # bash splits words at = and :.
                for ((index = 1; index <= COMP_CWORD; index++)); do
                    word=${COMP_WORDS[index]}
                    if [[ ${#words[@]} -gt 0 && ($isJoined || $word == [=:]) ]]; then
                        words[-1]+=$word
                    else
                        words+=("$word") starts+=("$index")
                    fi
                    [[ $word == [=:] ]] && isJoined=1 || isJoined=
                done
                mapfile -t COMPREPLY < <(orientctl __complete "${words[@]}" 2>/dev/null)
                case ${COMPREPLY[0]-} in
                    :command*)
                        index=${starts[${COMPREPLY[0]#:command }]}
                        # bash-completion has the function.
                        if declare -F _command_offset >/dev/null; then
                            _command_offset "$index"
                            return
                        fi
                        ((index < COMP_CWORD)) || kind=-c
                        ;&
                    :files)
                        mapfile -t COMPREPLY < <(compgen "$kind" -- "$2")
                        compopt -o filenames
                        ;;
                    *)
                        COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
                        COMPREPLY=("${COMPREPLY[@]#"${words[-1]%"$2"}"}")
                        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
                        ;;
                esac
            }
            complete -F _orientctl orientctl
            """#
        case .zsh:
            #"""
            #compdef orientctl
            # zsh completion for orientctl; "orientctl completion zsh" prints it.
            _orientctl() {
                local -a lines options values
                lines=(${(f)"$(orientctl __complete "${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)"})
                if [[ $PREFIX == --*=* ]]; then
                    compset -P '*='
                    lines=(${lines#--*=})
                fi
                case $lines[1] in
                    :files) _files ;;
                    :command*)
                        shift $((${lines[1]#:command } + 1)) words
                        ((CURRENT -= ${lines[1]#:command } + 1))
                        _normal
                        ;;
                    *)
                        lines=(${lines/$'\t'/:})
                        options=(${(M)lines:#*=:*}) values=(${lines:#*=:*})
                        _describe orientctl options -S '' -- values
                        ;;
                esac
            }
            _orientctl "$@"
            """#
        case .fish:
            #"""
            # fish completion for orientctl; "orientctl completion fish" prints it.
            function __orientctl_complete
                set -l words (commandline -opc) (commandline -ct)
                set -l lines (orientctl __complete $words[2..] 2>/dev/null)
                switch "$lines[1]"
                    case ':command*'
                        set -l start (math (string replace ':command ' '' -- $lines[1]) + 2)
                        complete --do-complete=(string join ' ' -- (string escape -- $words[$start..-2]) $words[-1])
                    case :files
                        set -l option (string match -r -- '^--[^=]*=' "$words[-1]")
                        printf "$option%s\n" (__fish_complete_path (string replace -- "$option" '' "$words[-1]"))
                    case '*'
                        string join \n -- $lines
                end
            end
            complete -c orientctl -f -a '(__orientctl_complete)'
            """#
        }
    }
}
