// SPDX-License-Identifier: Apache-2.0

// getopt_long's results are global variables; this program has one thread.
@preconcurrency import CGetopt

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
#error("unsupported libc")
#endif

/// An option of a command, `--name` or `--name VALUE`.
struct CommandOption {
    let name: String
    var takesValue = false
}

/// What getopt_long makes of a command's arguments.
struct ParsedArguments {
    /// Each option with its value, in the order given.
    private(set) var options: [(name: String, value: String?)] = []
    private(set) var operands: [String] = []

    /// Parses what follows a command's name; fails when getopt_long has told the user what is wrong.
    init?(_ arguments: [String], of command: String, allowing allowed: [CommandOption]) {
        let names = allowed.map { strdup($0.name) }
        var argv = (["orientctl \(command)"] + arguments).map { strdup($0) }
        let copies = argv
        defer { for copy in names + copies { free(copy) } }
        argv.append(nil)
        var table: [option] = []
        for (index, known) in allowed.enumerated() {
            let valued = known.takesValue ? required_argument : no_argument
            table.append(option(name: names[index], has_arg: valued, flag: nil, val: Int32(index)))
        }
        table.append(option())

        optind = 0
        while true {
            let found = getopt_long(Int32(arguments.count + 1), &argv, "", table, nil)
            if found == -1 { break }
            guard allowed.indices.contains(Int(found)), found != Int32(UInt8(ascii: "?")) else { return nil }
            options.append((allowed[Int(found)].name, optarg.map { String(cString: $0) }))
        }
        for index in Int(optind)..<arguments.count + 1 {
            operands.append(argv[index].map { String(cString: $0) } ?? "")
        }
    }
}
