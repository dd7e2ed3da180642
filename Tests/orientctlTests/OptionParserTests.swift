// SPDX-License-Identifier: Apache-2.0

import CommandLineOptions
import Testing

@Suite struct OptionParserTests {
    private static let options: [OptionParser.Option] = [
        .init("output", "o", value: "FILE", help: ""), .init("quiet", "q", help: ""),
        .init("report", value: "FILE", help: ""), .init("recording", value: "FILE", help: ""),
    ]

    @Test(arguments: [
        ("a b", "a b"), ("--quiet a", "quiet= a"), ("a -q", "quiet= a"), ("-qq", "quiet= quiet="),
        ("--output=x a", "output=x a"), ("--output x a", "output=x a"), ("--output= a", "output= a"),
        ("-o x", "output=x"), ("-ox", "output=x"), ("-qox", "quiet= output=x"), ("-o=x", "output==x"),
        ("-o -q", "output=-q"), ("--output -- -q", "output=-- quiet="), ("--output=a=b", "output=a=b"),
        ("--out=x", "output=x"), ("--rep x", "report=x"), ("-- -q --", "-q --"), ("a -- -q", "a -q"),
        ("- -q", "quiet= -"),
    ])
    func `options are recognized in every form, before and after operands`(line: String, parsed: String) throws {
        let result = try OptionParser(Self.options).parse(line.split(separator: " ").map { String($0) })
        let words = result.options.map { "\($0.name)=\($0.value)" } + result.operands
        #expect(words.joined(separator: " ") == parsed)
    }

    @Test(arguments: [("-q run -q --x", "run -q --x"), ("-- run --", "run --"), ("-o run run -o", "run -o")])
    func `a command line among the operands keeps its options`(line: String, operands: String) throws {
        let parser = OptionParser(Self.options, stopsAtOperand: true)
        let result = try parser.parse(line.split(separator: " ").map { String($0) })
        #expect(result.operands.joined(separator: " ") == operands)
    }

    @Test(arguments: [
        (["--ouput=x"], "unknown option '--ouput'"), (["-x"], "unknown option '-x'"), (["-qx"], "unknown option '-x'"),
        (["--re"], "'--re' is ambiguous: --report or --recording"),
        (["--quiet=yes"], "option '--quiet' takes no value"), (["--qui=yes"], "option '--quiet' takes no value"),
        (["--output"], "option '--output' needs a value"), (["a", "-o"], "option '-o' needs a value"),
    ])
    func `a wrong option is explained`(arguments: [String], message: String) {
        let error = #expect(throws: OptionError.self) { _ = try OptionParser(Self.options).parse(arguments) }
        #expect(error?.message == message)
    }
}
