// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import OrientationCore

/// `orientctl completion`: the completions of a shell, from the command table.
enum Completion {
    static let command = Command(
        name: "completion",
        operands: "SHELL",
        summary: "print the completions for a shell"
    ) { invocation throws(CommandError) in
        let shell: Shell = try value(named: invocation.operands[0], "there are no completions for ")
        let lines =
            switch shell {
            case .bash: bash
            case .zsh: zsh
            case .fish: fish
            }
        try emit(lines)
        return .done
    }

    enum Shell: String, NamedValue { case bash, zsh, fish }

    /// What an operand or the value of an option can be.
    struct Values {
        var words: [String] = []
        /// Whether several words can be given, with commas between them.
        var isList = false
        var hasFiles = false
        var isCommandLine = false
    }

    /// The values of a usage line's word, such as `[current|EDGE|off|toggle]`.
    static func values(of usage: String) -> Values {
        let word = usage.utf8.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
        var values = Values()
        for part in word.split(separator: UInt8(ascii: "|")).map({ String(decoding: $0, as: UTF8.self) }) {
            guard part != "COMMAND" else {
                values.words += Command.all.map { $0.name }
                continue
            }
            guard !part.utf8.contains(where: { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) else {
                values.words.append(part)
                continue
            }
            switch Placeholder.named(part).values {
            case .words(let words): values.words += words
            case .list(let words): (values.words, values.isList) = (values.words + words, true)
            case .files: values.hasFiles = true
            case .commandLine: values.isCommandLine = true
            case .free: break
            }
        }
        return values
    }

    /// A help text in one line, quoted for zsh and fish.
    static func quoted(_ help: some CustomStringConvertible) -> String {
        var text = ""
        for scalar in "\(help)".unicodeScalars {
            switch scalar {
            case "'": text += "’"
            case "\n": text += " "
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }

    /// The commands whose operands are another command line.
    static var commandLineCommands: [String] { Command.all.filter { $0.hasCommandLine }.map { $0.name } }

    /// The commands with any number of operands of one kind.
    static var severalOperandCommands: [String] {
        Command.all.filter { $0.takesSeveralOperands && !$0.hasCommandLine }.map { $0.name }
    }

    /// The options whose value may be the next word, as patterns `command:option`; the command is `*` for those of every
    /// command.
    static var patternsOfOptionsWithValue: [String] {
        ([("*", Command.globalOptions)] + Command.all.map { ($0.name, $0.options) })
            .flatMap { name, options in options.filter { $0.takesValue }.flatMap { $0.forms }.map { "\(name):\($0)" } }
    }
}

extension OptionParser.Option {
    /// `--name` and, where there is one, `-n`.
    fileprivate var forms: [String] { ["--\(name)"] + (short.map { ["-\($0)"] } ?? []) }
}

// MARK: - bash

extension Completion {
    private static var bash: [String] {
        var lines = [
            "# bash completion for orientctl; \"orientctl completion bash\" prints it.",
            "",
            "_orientctl() {",
            "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}",
            "    local option='' command='' operands=0 index",
            "    COMPREPLY=()",
            "    # bash splits --option=value into three words.",
            "    if [[ $current == = ]]; then",
            "        option=$previous current=",
            "    elif [[ $previous == = ]]; then",
            "        option=${COMP_WORDS[COMP_CWORD - 2]}",
            "    elif [[ $previous == -* ]]; then",
            "        option=$previous",
            "    fi",
            "    for ((index = 1; index < COMP_CWORD; index++)); do",
            "        case $command:${COMP_WORDS[index]} in",
            "            \(patternsOfOptionsWithValue.joined(separator: " | ")))",
            "                [[ ${COMP_WORDS[++index]} == = ]] && ((index++))",
            "                # bash splits values, too.",
            "                while [[ ${COMP_WORDS[index + 1]-} == [:=] ]]; do ((index += 2)); done",
            "                ;;",
            "            *:-*) ;;",
            "            :*) command=${COMP_WORDS[index]} ;;",
            "            \(commandLineCommands.map { "\($0):*" }.joined(separator: " | ")))",
            "                # Another command line begins here; bash-completion has the function.",
            "                if declare -F _command_offset >/dev/null; then",
            "                    _command_offset \"$index\"",
            "                else",
            "                    mapfile -t COMPREPLY < <(compgen -f -- \"$current\")",
            "                    compopt -o filenames",
            "                fi",
            "                return",
            "                ;;",
            "            *) ((operands++)) ;;",
            "        esac",
            "    done",
            "    case $command:$option in",
        ]
        for (name, options) in [("*", Command.globalOptions)] + Command.all.map({ ($0.name, $0.options) }) {
            for option in options where option.takesValue {
                lines += bashCase(
                    option.forms.map { "\(name):\($0)" }.joined(separator: " | "),
                    values(of: "\(option.value)")
                )
            }
        }
        let global = words(of: Command.globalOptions)
        lines += [
            "    esac",
            "    if [[ $current == -* ]]; then",
            "        local options='\(global)'",
            "        case $command in",
        ]
        for command in Command.all where !command.options.isEmpty {
            lines.append("            \(command.name)) options+=' \(words(of: command.options))' ;;")
        }
        lines += [
            "        esac",
            "        mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$current\")",
            "        [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace",
            "        return",
            "    fi",
            "    case $command in",
            "        \(severalOperandCommands.joined(separator: " | "))) ;;",
            "        *) ((operands == 0)) || return ;;",
            "    esac",
            "    case $command in",
        ]
        lines += bashCase("''", values(of: "COMMAND"))
        for command in Command.all where !command.operands.isEmpty {
            lines += bashCase(command.name, values(of: command.operands))
        }
        return lines + ["    esac", "}", "complete -F _orientctl orientctl"]
    }

    /// The words for options, those with a value ending in `=`.
    private static func words(of options: [OptionParser.Option]) -> String {
        options.map { "--\($0.name)" + ($0.takesValue ? "=" : "") }.joined(separator: " ")
    }

    private static func bashCase(_ pattern: String, _ values: Values) -> [String] {
        var choices = values.words.isEmpty ? "" : " -W '\(values.words.joined(separator: " "))'"
        if values.hasFiles { choices += " -f" }
        if values.isCommandLine { choices += " -c" }
        let prefix = values.isList ? "-P \"${current%\"${current##*,}\"}\"" : ""
        let word = values.isList ? "${current##*,}" : "$current"
        let action = choices.isEmpty ? "" : "mapfile -t COMPREPLY < <(compgen \(prefix)\(choices) -- \"\(word)\")"
        let areFiles = values.hasFiles || values.isCommandLine
        return ["        \(pattern))"] + (action.isEmpty ? [] : ["            \(action)"])
            + (areFiles ? ["            compopt -o filenames"] : []) + ["            return", "            ;;"]
    }
}

// MARK: - zsh

extension Completion {
    private static var zsh: [String] {
        var lines = [
            "#compdef orientctl", "# zsh completion for orientctl; \"orientctl completion zsh\" prints it.", "",
            "_orientctl() {", "    local curcontext=$curcontext state line", "    typeset -A opt_args",
            "    local -a global subcommands", "    global=(",
        ]
        lines += Command.globalOptions.map { "        " + zshOption($0) } + ["    )", "    subcommands=("]
        lines += Command.all.map { "        '\($0.name):\(quoted($0.summary))'" }
        lines += [
            "    )",
            "    _arguments -s -S -C $global '1: :->command' '*:: :->argument' && return",
            "    case $state in",
            "        command) _describe -t commands command subcommands ;;",
            "        argument)",
            "            curcontext=${curcontext%:*}-$words[1]:",
            "            case $words[1] in",
        ]
        for command in Command.all {
            var words = ["_arguments", "-s", "-S", "$global"] + command.options.map { zshOption($0) }
            if !command.operands.isEmpty {
                let values = values(of: command.operands)
                words.append(
                    values.isCommandLine
                        ? "'(-)1:command: _command_names -e' '*::argument: _normal'"
                        : "'\(command.takesSeveralOperands ? "*" : "1"):\(zshMessage(command.operands)):\(zshAction(values))'"
                )
            }
            lines.append("                \(command.name)) \(words.joined(separator: " ")) ;;")
        }
        return lines + ["            esac", "            ;;", "    esac", "}", "_orientctl \"$@\""]
    }

    private static func zshOption(_ option: OptionParser.Option) -> String {
        let value =
            option.takesValue
            ? ":\(zshMessage("\(option.value)")):\(zshAction(values(of: "\(option.value)")))" : ""
        let rest = "'[\(quoted(option.help))]\(value)'"
        let mark = option.takesValue ? "=" : ""
        guard let short = option.short else { return "--\(option.name)\(mark)\(rest)" }
        let shortMark = option.takesValue ? "+" : ""
        return "'(-\(short) --\(option.name))'{-\(short)\(shortMark),--\(option.name)\(mark)}\(rest)"
    }

    /// What can be given, as zsh shows it above the values.
    private static func zshMessage(_ usage: String) -> String {
        String(decoding: usage.utf8.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }, as: UTF8.self)
    }

    private static func zshAction(_ values: Values) -> String {
        if values.hasFiles { return "_files" }
        if values.isList { return "_values -s , value \(values.words.joined(separator: " "))" }
        return values.words.isEmpty ? "" : "(\(values.words.joined(separator: " ")))"
    }
}

// MARK: - fish

extension Completion {
    private static var fish: [String] {
        var lines = [
            "# fish completion for orientctl; \"orientctl completion fish\" prints it.", "",
            "# Sets command and operands to those on the line; behind \"run\", command is COMMAND, and operands are the words",
            "# of the command line there.",
            "function __orientctl_parse --no-scope-shadowing",
            "    set -l value",
            "    for word in (commandline -opc)[2..]",
            "        if set -q value[1]",
            "            set -e value",
            "            continue",
            "        end",
            "        switch \"$command:$word\"",
            "            case 'COMMAND:*'",
            "                set -a operands $word",
            "            case \(patternsOfOptionsWithValue.map { "'\($0)'" }.joined(separator: " "))",
            "                set value follows",
            "            case '*:-*'",
            "            case ':*'",
            "                set command $word",
            "            case \(commandLineCommands.map { "'\($0):*'" }.joined(separator: " "))",
            "                set command COMMAND",
            "                set operands $word",
            "            case '*'",
            "                set -a operands $word",
            "        end",
            "    end",
            "end", "",
            "# Whether the line is at a command's options; with a second argument, at its operand.",
            "function __orientctl_at",
            "    set -l command",
            "    set -l operands",
            "    __orientctl_parse",
            "    test \"$command\" = \"$argv[1]\"; and begin",
            "        not set -q argv[2]; or not set -q operands[1]",
            "    end",
            "end", "",
            "# The completions of the command line behind ours.",
            "function __orientctl_rest",
            "    set -l command",
            "    set -l operands",
            "    __orientctl_parse",
            "    complete --do-complete=(string join ' ' -- (string escape -- $operands) (commandline -ct))",
            "end", "",
            "complete -c orientctl -f",
            "complete -c orientctl -n '__orientctl_at COMMAND' -a '(__orientctl_rest)'",
        ]
        lines += Command.globalOptions.map { fishOption($0, "not __orientctl_at COMMAND") }
        for command in Command.all {
            lines.append(
                "complete -c orientctl -n '__orientctl_at \"\"' -a \(command.name) -d '\(quoted(command.summary))'"
            )
        }
        for command in Command.all {
            lines += command.options.map { fishOption($0, "__orientctl_at \(command.name)") }
            let isRepeated = severalOperandCommands.contains(command.name)
            let place = "__orientctl_at \(command.name)\(isRepeated ? "" : " operand")"
            let operand = "complete -c orientctl -n '\(place)'"
            let values = values(of: command.operands)
            if !values.words.isEmpty { lines.append("\(operand) -a '\(values.words.joined(separator: " "))'") }
            if values.hasFiles { lines.append("\(operand) -F") }
            if values.isCommandLine { lines.append("\(operand) -a '(__orientctl_rest)'") }
        }
        return lines
    }

    private static func fishOption(_ option: OptionParser.Option, _ condition: String) -> String {
        let short = option.short.map { "-s \($0) " } ?? ""
        var text = "complete -c orientctl -n '\(condition)' \(short)-l \(option.name)"
        if option.takesValue {
            let values = values(of: "\(option.value)")
            let words = values.words.joined(separator: " ")
            text += values.hasFiles ? " -r -F" : " -x"
            if !words.isEmpty { text += values.isList ? " -a '(__fish_append , \(words))'" : " -a '\(words)'" }
        }
        return text + " -d '\(quoted(option.help))'"
    }
}
