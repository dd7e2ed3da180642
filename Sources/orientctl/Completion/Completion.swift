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
            case .files: values.hasFiles = true
            case .commandLine: values.isCommandLine = true
            case .free: break
            }
        }
        return values
    }

    /// The first line of a help text, which is enough beside a completion, quoted for all three shells.
    static func quoted(_ help: some CustomStringConvertible) -> String {
        let line = "\(help)".unicodeScalars.prefix { $0 != "\n" }
        let end = line.last == ";" || line.last == ","
        var text = ""
        for scalar in end ? line.dropLast() : line {
            switch scalar {
            case "'": text += "’"
            case "[", "]", ":", "\\": continue
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
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
            "    local option='' command='' index",
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
            "        case ${COMP_WORDS[index]} in",
            "            -b | --bus)",
            "                [[ ${COMP_WORDS[++index]} == = ]] && ((index++))",
            "                ;;",
            "            -*) ;;",
            "            *)",
            "                command=${COMP_WORDS[index]}",
            "                break",
            "                ;;",
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
        let action = choices.isEmpty ? "" : "mapfile -t COMPREPLY < <(compgen\(choices) -- \"$current\")"
        return ["        \(pattern))"] + (action.isEmpty ? [] : ["            \(action)"])
            + (values.hasFiles ? ["            compopt -o filenames"] : []) + ["            return", "            ;;"]
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
            "    _arguments -C $global '1: :->command' '*:: :->argument' && return",
            "    case $state in",
            "        command) _describe -t commands command subcommands ;;",
            "        argument)",
            "            curcontext=${curcontext%:*}-$words[1]:",
            "            case $words[1] in",
        ]
        for command in Command.all {
            var words = ["_arguments", "$global"] + command.options.map { zshOption($0) }
            if !command.operands.isEmpty {
                let values = values(of: command.operands)
                words.append(
                    values.isCommandLine
                        ? "'(-)1:command: _command_names -e' '*::argument: _normal'"
                        : "'1:\(zshMessage(command.operands)):\(zshAction(values))'"
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

    private static func zshMessage(_ usage: String) -> String {
        quoted(usage)
    }

    private static func zshAction(_ values: Values) -> String {
        if values.hasFiles { return "_files" }
        return values.words.isEmpty ? "" : "(\(values.words.joined(separator: " ")))"
    }
}

// MARK: - fish

extension Completion {
    private static var fish: [String] {
        var lines = [
            "# fish completion for orientctl; \"orientctl completion fish\" prints it.", "",
            "complete -c orientctl -f",
        ]
        lines += Command.globalOptions.map { fishOption($0, "") }
        for command in Command.all {
            lines.append(
                "complete -c orientctl -n __fish_use_subcommand -a \(command.name) -d '\(quoted(command.summary))'"
            )
        }
        for command in Command.all {
            let condition = "-n '__fish_seen_subcommand_from \(command.name)' "
            lines += command.options.map { fishOption($0, condition) }
            let values = values(of: command.operands)
            if !values.words.isEmpty {
                lines.append("complete -c orientctl \(condition)-a '\(values.words.joined(separator: " "))'")
            }
            if values.hasFiles { lines.append("complete -c orientctl \(condition)-F") }
            if values.isCommandLine {
                lines.append("complete -c orientctl \(condition)-a '(__fish_complete_subcommand --fcs-skip=2)'")
            }
        }
        return lines
    }

    private static func fishOption(_ option: OptionParser.Option, _ condition: String) -> String {
        let short = option.short.map { "-s \($0) " } ?? ""
        var text = "complete -c orientctl \(condition)\(short)-l \(option.name)"
        if option.takesValue {
            let values = values(of: "\(option.value)")
            text += values.hasFiles ? " -r -F" : " -x"
            if !values.words.isEmpty { text += " -a '\(values.words.joined(separator: " "))'" }
        }
        return text + " -d '\(quoted(option.help))'"
    }
}
