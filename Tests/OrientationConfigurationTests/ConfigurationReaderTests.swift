// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import OrientationCore
import POSIX
import SplitMix
import SystemdBus
import Testing

@testable import OrientationConfiguration

/// A folder with a configuration file and drop-ins, gone with this.
private struct Folder {
    private let folder: TemporaryFolder

    var path: String { folder.path }

    /// The file that the reader is given.
    var file: String { path + "/orientd.conf" }

    init() throws {
        folder = try TemporaryFolder()
        mkdir(file + ".d", 0o700)
    }

    func write(_ text: String, dropIn: String? = nil) throws {
        try folder.write(text.utf8, to: dropIn.map { "orientd.conf.d/" + $0 } ?? "orientd.conf")
    }

    func write(_ bytes: [UInt8]) throws {
        try folder.write(bytes, to: "orientd.conf")
    }

    /// Reads everything; the warnings come without the folder's path.
    func read(isRequired: Bool = true) throws -> (configuration: Configuration, warnings: [String]) {
        let reader = ConfigurationReader<Configuration>()
        try reader.read(file, isRequired: isRequired)
        return (reader.configuration, reader.warnings.map { $0.dropping(prefix: path + "/") ?? $0 })
    }
}

private func changed(_ change: (inout Configuration) -> Void) -> Configuration {
    var configuration = Configuration()
    change(&configuration)
    return configuration
}

@Suite struct SettingTests {
    struct Value: Sendable, CustomTestStringConvertible {
        let section: String
        let key: String
        let text: String
        let result: Configuration

        init(_ section: String, _ key: String, _ text: String, _ change: (inout Configuration) -> Void) {
            self.section = section
            self.key = key
            self.text = text
            result = changed(change)
        }

        var testDescription: String { "[\(section)] \(key)=\(text)" }
    }

    /// An application's id may be as long as a name on the bus.
    private static let longID = "org.example." + String(repeating: "x", count: 243)

    static let good: [Value] = [
        Value("Orientation", "Idiom", "handset") { $0.machine.idiom = .handset },
        Value("Orientation", "Idiom", "tablet") { $0.machine.idiom = .tablet },
        Value("Orientation", "Idiom", "convertible") { $0.machine.idiom = .convertible },
        Value("Orientation", "Idiom", "laptop") { $0.machine.idiom = .laptop },
        Value("Orientation", "Idiom", "auto") { $0.machine.idiom = nil },
        Value("Orientation", "NaturalOrientation", "portrait") { $0.machine.naturalOrientation = .portrait },
        Value("Orientation", "NaturalOrientation", "portrait-upside-down") {
            $0.machine.naturalOrientation = .portraitUpsideDown
        },
        Value("Orientation", "NaturalOrientation", "landscape-left") { $0.machine.naturalOrientation = .landscapeLeft },
        Value("Orientation", "NaturalOrientation", "landscape-right") {
            $0.machine.naturalOrientation = .landscapeRight
        },
        Value("Orientation", "NaturalOrientation", "auto") { $0.machine.naturalOrientation = nil },
        Value("Orientation", "SupportedOrientations", "landscape") { $0.machine.supportedOrientations = .landscape },
        Value("Orientation", "SupportedOrientations", "all") { $0.machine.supportedOrientations = .all },
        Value("Orientation", "SupportedOrientations", "all-but-upside-down") {
            $0.machine.supportedOrientations = .allButUpsideDown
        },
        Value("Orientation", "SupportedOrientations", "portrait , landscape-left") {
            $0.machine.supportedOrientations = [.portrait, .landscapeLeft]
        },
        Value("Orientation", "SupportedOrientations", "portrait-upside-down") {
            $0.machine.supportedOrientations = .portraitUpsideDown
        },
        Value("Orientation", "SupportedOrientations", "auto") { $0.machine.supportedOrientations = nil },
        Value("Orientation", "Autorotate", "always") { $0.machine.autorotate = .always },
        Value("Orientation", "Autorotate", "tablet-mode") { $0.machine.autorotate = .tabletMode },
        Value("Orientation", "Autorotate", "never") { $0.machine.autorotate = .never },
        Value("Orientation", "Autorotate", "auto") { $0.machine.autorotate = nil },
        Value("Orientation", "LaptopOrientation", "portrait") { $0.machine.laptopOrientation = .portrait },
        Value("Orientation", "LaptopOrientation", "portrait-upside-down") {
            $0.machine.laptopOrientation = .portraitUpsideDown
        },
        Value("Orientation", "LaptopOrientation", "landscape-left") { $0.machine.laptopOrientation = .landscapeLeft },
        Value("Orientation", "LaptopOrientation", "landscape-right") { $0.machine.laptopOrientation = .landscapeRight },
        Value("Orientation", "LaptopOrientation", "auto") { $0.machine.laptopOrientation = nil },
        Value("Orientation", "ReportFace", "yes") { $0.machine.reportsFace = true },
        Value("Orientation", "ReportFace", "true") { $0.machine.reportsFace = true },
        Value("Orientation", "ReportFace", "on") { $0.machine.reportsFace = true },
        Value("Orientation", "ReportFace", "1") { $0.machine.reportsFace = true },
        Value("Orientation", "ReportFace", "no") { $0.machine.reportsFace = false },
        Value("Orientation", "ReportFace", "false") { $0.machine.reportsFace = false },
        Value("Orientation", "ReportFace", "off") { $0.machine.reportsFace = false },
        Value("Orientation", "ReportFace", "0") { $0.machine.reportsFace = false },
        Value("Orientation", "Classifier", "base") { $0.machine.classifier = .base },
        Value("Orientation", "Classifier", "robust") { $0.machine.classifier = .robust },
        Value("Sensor", "Source", "auto") { $0.source = .iio(uri: "local:") },
        Value("Sensor", "Source", "iio") { $0.source = .iio(uri: "local:") },
        Value("Sensor", "Source", "ssc") { $0.source = .sensorCore },
        Value("Sensor", "Source", "iio:ip:127.0.0.1") { $0.source = .iio(uri: "ip:127.0.0.1") },
        Value("Sensor", "Source", "replay:/tmp/a trace.csv") { $0.source = .replay(path: "/tmp/a trace.csv") },
        Value("Sensor", "Source", "simulate") { $0.source = .simulation },
        Value("Sensor", "Rate", "1") { $0.rate = 1 },
        Value("Sensor", "Rate", "12.5") { $0.rate = 12.5 },
        Value("Sensor", "Rate", "1e3") { $0.rate = 1000 },
        Value("Sensor", "Power", "responsive") { $0.machine.power = .responsive },
        Value("Sensor", "Power", "auto") { $0.machine.power = .auto },
        Value("Sensor", "Frame", "kernel") { $0.convention = .kernel },
        Value("Sensor", "Frame", "desktop") { $0.convention = .desktop },
        Value("Sensor", "FaceUp", "+z") { $0.faceUp.display = .positiveZ },
        Value("Sensor", "FaceUp", "-z") { $0.faceUp.display = .negativeZ },
        Value("Sensor", "BaseFaceUp", "-z") { $0.faceUp.base = .negativeZ },
        Value("Sensor", "BaseFaceUp", "auto") { $0.faceUp.base = nil },
        Value("Sensor", "FaceUp", "auto") { $0.faceUp.display = nil },
        Value("Tablet", "TabletSwitch", "yes") { $0.machine.virtualTabletSwitch = true },
        Value("Tablet", "TabletSwitch", "no") { $0.machine.virtualTabletSwitch = false },
        Value("Tablet", "IgnoreLidSwitch", "Lid Switch") { $0.ignoredLidSwitches = ["Lid Switch"] },
        Value("Tablet", "IgnoreTabletSwitch", "none") { $0.ignoredTabletSwitches = [] },
        Value("Tablet", "IgnoreTabletSwitch", "Intel HID switches;Tablet Mode") {
            $0.ignoredTabletSwitches = ["Intel HID switches", "Tablet Mode"]
        },
        Value("Tablet", "TabletWithoutKeyboard", "yes") { $0.isTabletWithoutKeyboard = true },
        Value("Tablet", "TabletWithoutKeyboard", "no") { $0.isTabletWithoutKeyboard = false },
        Value("Bus", "SensorProxy", "yes") { $0.servesSensorProxy = true },
        Value("Bus", "SensorProxy", "no") { $0.servesSensorProxy = false },
        Value("Bus", "SensorProxy", "auto") { $0.servesSensorProxy = nil },
        Value("Bus", "SensorProxyOrientation", "device") { $0.machine.proxiedOrientation = .device },
        Value("Bus", "SensorProxyOrientation", "interface") { $0.machine.proxiedOrientation = .interface },
        Value("Application org.example.Player", "SupportedOrientations", "landscape") {
            $0.machine.applicationMasks = ["org.example.Player": .landscape]
        },
        Value("Application \t a name with blanks ", "SupportedOrientations", "portrait,landscape-right") {
            $0.machine.applicationMasks = ["a name with blanks": [.portrait, .landscapeRight]]
        },
        Value("Application ID", "SupportedOrientations", "all") { $0.machine.applicationMasks = ["ID": .all] },
        Value("Application \(longID)", "SupportedOrientations", "all") { $0.machine.applicationMasks = [longID: .all] },
    ]

    @Test(arguments: good)
    func `a valid value is stored`(value: Value) throws {
        let folder = try Folder()
        try folder.write("[\(value.section)]\n\(value.key) = \(value.text)\n")
        let (configuration, warnings) = try folder.read()
        #expect(configuration == value.result)
        #expect(warnings == [])
    }

    static let bad: [(String, String, [String])] = [
        (
            "Orientation", "NaturalOrientation",
            ["", "Portrait", "face-up", "face-down", "unknown", "landscape", "portrait landscape-left"]
        ),
        ("Orientation", "Idiom", ["", "Tablet", "desktop", "auto,laptop"]),
        (
            "Orientation", "SupportedOrientations",
            ["", "0", "30", "none", "All", "portrait,", "portrait landscape-left", "face-up"]
        ),
        ("Orientation", "Autorotate", ["", "yes", "no", "Never", "tablet", "tabletMode"]),
        ("Orientation", "LaptopOrientation", ["", "landscape", "all", "unknown", "face-up", "Portrait"]),
        ("Orientation", "ReportFace", ["", "Yes", "2", "maybe"]),
        ("Orientation", "Classifier", ["", "Robust", "none"]),
        ("Sensor", "Source", ["", "iio:", "replay:", "replay", "simulated", "AUTO", "ip:127.0.0.1"]),
        (
            "Sensor", "Rate",
            ["", "0", "0.999", "1000.1", "-15", "nan", "inf", "15 Hz", "15,5", "fast", "1e400", "+-3"]
        ),
        ("Sensor", "Power", ["", "Auto", "yes", "low"]),
        ("Sensor", "Frame", ["", "Kernel", "device"]),
        ("Sensor", "FaceUp", ["", "z", "+Z", "yes"]),
        ("Sensor", "BaseFaceUp", ["", "z", "+Z", "yes"]),
        ("Tablet", "TabletSwitch", ["", "auto", "tablet"]),
        ("Tablet", "IgnoreTabletSwitch", ["", ";"]), ("Tablet", "IgnoreLidSwitch", ["", ";"]),
        ("Tablet", "TabletWithoutKeyboard", ["", "auto", "Yes"]),
        ("Bus", "SensorProxy", ["", "maybe", "Yes"]),
        ("Bus", "SensorProxyOrientation", ["", "auto", "Device", "yes"]),
        (
            "Application org.example.Player", "SupportedOrientations",
            ["", "auto", "none", "portrait,,landscape-left", "Landscape"]
        ),
    ]

    @Test(arguments: bad)
    func `an invalid value is a warning, and the previous value stays`(
        section: String,
        key: String,
        values: [String]
    ) throws {
        let value = try #require(
            Self.good.first { $0.section == section && $0.key == key && $0.result != Configuration() }
        )
        let kind = Self.kind(of: section)
        let setting = try #require(Configuration.settings.first { $0.section == kind && $0.key == key })
        for text in values {
            let folder = try Folder()
            try folder.write("[\(section)]\n\(key)=\(value.text)\n\n\(key)=\(text)\n")
            let (configuration, warnings) = try folder.read()
            #expect(configuration == value.result, "\(text)")
            let takes = "takes \(setting.type.values); the line is ignored"
            #expect(warnings == ["orientd.conf:4: [\(section)] \(key)=\(text): \(takes)"])
        }
    }

    /// What a section is called in the table.
    private static func kind(of section: String) -> String {
        section.hasPrefix("Application") ? "Application ID" : section
    }

    @Test func `every key is tested here, has the stated default and is in the manual`() {
        let all = Configuration.settings.map { "\($0.section) \($0.key)" }.sorted()
        #expect(all == Set(Self.good.map { "\(Self.kind(of: $0.section)) \($0.key)" }).sorted())
        #expect(all == Self.bad.map { "\(Self.kind(of: $0.0)) \($0.1)" }.sorted())
        for setting in Configuration.settings {
            var configuration = Configuration()
            if let standard = setting.type.standard {
                #expect(setting.type.store(&configuration, standard, ""), "\(setting.key)")
            }
            #expect(configuration == Configuration(), "\(setting.key)")
            #expect(ConfigurationReader<Configuration>.manual.contains("*\(setting.key)=*\n"), "\(setting.key)")
            #expect(ConfigurationReader<Configuration>.manual.contains(setting.help), "\(setting.key)")
        }
    }

    @Test(arguments: [" 15", "\t15", "15 ", "", "0x10", "15e", "infinity", "15\u{0}", "١٥"])
    func `a rate must be a decimal number without anything else`(text: String) {
        #expect(Configuration.rate(text) == nil)
    }
}

/// What is wrong with a mask in another section.
private let supported = "is not a section; SupportedOrientations belongs below [Orientation] or [Application ID]"

@Suite struct ConfigurationReaderTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    @Test func `a missing file is like an empty one, unless it is required`() throws {
        let (configuration, warnings) = try folder.read(isRequired: false)
        #expect(configuration == Configuration() && warnings == [])
        #expect(throws: SystemError("read", folder.file, errno: .notFound)) { _ = try folder.read() }
    }

    @Test(arguments: [("/dev/null/x", ENOTDIR), ("/tmp", EISDIR)])
    func `an unreadable file is an error if it is required, otherwise a warning`(
        path: String,
        code: Int32
    ) throws {
        let error = SystemError("read", path, errno: Errno(code))
        #expect(throws: error) { try ConfigurationReader<Configuration>().read(path, isRequired: true) }
        let reader = ConfigurationReader<Configuration>()
        try reader.read(path, isRequired: false)
        #expect(reader.configuration == Configuration())
        #expect(reader.warnings == ["\(error)"])
    }

    @Test func `the last assignment wins, within a file and in the drop-ins in the order of their names`() throws {
        try folder.write("[Sensor]\nRate=20\nRate=30\nFrame=kernel\n[Orientation]\nClassifier=base\n")
        #expect(try folder.read().configuration.rate == 30)
        try folder.write("[Sensor]\nRate=50\n[Orientation]\nReportFace=yes\n", dropIn: "20-b.conf")
        try folder.write("[Sensor]\nRate=40\n[Orientation]\nReportFace=no\n", dropIn: "10-a.conf")
        try folder.write("[Sensor]\nRate=60\n", dropIn: "99-not-read.conf.bak")
        try folder.write("[Sensor]\nRate=60\n", dropIn: ".hidden.conf")
        let (configuration, warnings) = try folder.read()
        #expect(
            configuration
                == changed {
                    $0.rate = 50
                    $0.convention = .kernel
                    $0.machine.classifier = .base
                    $0.machine.reportsFace = true
                }
        )
        #expect(warnings == [])
    }

    @Test func `the effective assignments are listed, without those of applications`() throws {
        let application = "[Application A]\nSupportedOrientations=all\n"
        try folder.write("[Sensor]\nSource=replay:/srv/a\nRate=40\nRate=never\n" + application)
        try folder.write("[Sensor]\nSource=auto\n", dropIn: "a.conf")
        let reader = ConfigurationReader<Configuration>()
        try reader.read(folder.file, isRequired: true)
        #expect(reader.assignments == ["Rate=40", "Source=auto"])
    }

    @Test func `drop-ins are read without the file they belong to`() throws {
        try folder.write("[Sensor]\nRate=40\n", dropIn: "a.conf")
        #expect(try folder.read(isRequired: false).configuration.rate == 40)
    }

    @Test func `a drop-in that cannot be read is a warning, and the others count`() throws {
        let broken = folder.file + ".d/10-broken.conf"
        mkdir(broken, 0o700)
        try folder.write("[Sensor]\nRate=40\n", dropIn: "20-sound.conf")
        let (configuration, warnings) = try folder.read(isRequired: false)
        #expect(configuration.rate == 40)
        #expect(warnings == ["cannot read \(broken): Is a directory"])
    }

    @Test func `each warning names its file and line`() throws {
        let lines = "nonsense\n[Sensor]\n; fine\n# fine\n\n   \nRate=fast\nrate=15\n[Sensor\n[Other]\nRate=20\n=40\n"
        try folder.write(lines)
        try folder.write("\n[Sensor]\nFrame=upside\n", dropIn: "a.conf")
        let (configuration, warnings) = try folder.read()
        #expect(configuration == Configuration())
        #expect(
            warnings == [
                "orientd.conf:1: neither a [Section], a Key=value nor a comment",
                "orientd.conf:7: [Sensor] Rate=fast: takes a number of Hz from 1 to 1000; the line is ignored",
                "orientd.conf:8: [Sensor] rate is not a setting of orientd; did you mean 'Rate'?",
                "orientd.conf:9: the section's name has no closing bracket",
                "orientd.conf:11: [Other] is not a section; Rate belongs below [Sensor]",
                "orientd.conf:12: the key before the value is missing",
                "orientd.conf.d/a.conf:3: [Sensor] Frame=upside: takes desktop or kernel; the line is ignored",
            ]
        )
    }

    // A whole file was dropped without a word, as was a setting on its section's line.
    @Test(arguments: ["[Sensor] Rate=20\nFrame=kernel\n", "[Sensor]\rRate=20\n[Sensor]\nFrame=kernel\n"])
    func `text after a section's name is one warning`(text: String) throws {
        try folder.write(text)
        let (configuration, warnings) = try folder.read()
        #expect(configuration.rate == 15 && configuration.convention == .kernel)
        #expect(
            warnings == ["orientd.conf:1: the text after [Sensor] is ignored; a setting has a line of its own"]
        )
    }

    @Test(arguments: ["[Sensor] ; where samples come from\n", "[Sensor] # as usual\r\n", "[Sensor]  \n"])
    func `a comment may follow a section's name`(header: String) throws {
        try folder.write(header + "Rate=20\n")
        let (configuration, warnings) = try folder.read()
        #expect(configuration.rate == 20 && warnings.isEmpty)
    }

    @Test func `a comment that became part of a value is explained`() throws {
        try folder.write("[Tablet]\nTabletSwitch=yes # mine\n")
        let problem = "takes yes or no; the line is ignored; a comment after a value begins with ';'"
        #expect(try folder.read().warnings == ["orientd.conf:2: [Tablet] TabletSwitch=yes # mine: \(problem)"])
    }

    @Test func `a line with a NUL byte, or a long one, is one warning`() throws {
        let long = "Rate=" + String(repeating: "1", count: 5000)
        try folder.write("[Sensor]\nRate=20\u{0}\n\(long)\nRate=30\n# \(long)\nFrame=kernel")
        let (configuration, warnings) = try folder.read()
        #expect(
            configuration
                == changed {
                    $0.rate = 30
                    $0.convention = .kernel
                }
        )
        #expect(
            warnings == [
                "orientd.conf:2: the line holds a NUL byte",
                "orientd.conf:3: the line has more than 4096 bytes",
            ]
        )
    }

    // An indented line was read as the continuation of the value above it.
    @Test func `an indented assignment is one of its own`() throws {
        try folder.write("[Sensor]\nRate=20\n    Frame=kernel\n")
        let (configuration, warnings) = try folder.read()
        #expect(
            configuration
                == changed {
                    $0.rate = 20
                    $0.convention = .kernel
                }
        )
        #expect(warnings == [])
    }

    // The mark hid the section, and so lost every key of it.
    @Test func `a byte order mark, line ends of DOS, blanks around and a colon are fine`() throws {
        try folder.write("\u{FEFF}[Sensor]\r\n  Rate : 20 \r\nFrame\t=\tkernel ; a comment\r\n")
        let (configuration, warnings) = try folder.read()
        #expect(
            configuration
                == changed {
                    $0.rate = 20
                    $0.convention = .kernel
                }
        )
        #expect(warnings == [])
    }

    // Its keys were taken for those of the section above.
    @Test(arguments: ["[Orientation", "[Orient\u{0}ation]"])
    func `a malformed section line is a warning, and so are the keys below it`(line: String) throws {
        try folder.write("[Sensor]\nRate=20\n\(line)\nRate=30\n")
        let (configuration, warnings) = try folder.read()
        #expect(configuration == changed { $0.rate = 20 })
        #expect(warnings.map { $0.prefix(15) } == ["orientd.conf:3:", "orientd.conf:4:"])
        #expect(warnings.last == "orientd.conf:4: Rate: this setting belongs below [Sensor]")
    }

    @Test func `a comment in place of the value is a warning, and an indented section line counts`() throws {
        try folder.write("[Sensor]\nRate ;= 20\nRate=30\n  [Orientation]\nReportFace=yes\n")
        let (configuration, warnings) = try folder.read()
        #expect(
            configuration
                == changed {
                    $0.rate = 30
                    $0.machine.reportsFace = true
                }
        )
        #expect(warnings == ["orientd.conf:2: neither a [Section], a Key=value nor a comment"])
    }

    @Test(arguments: [49, 50, 255])
    func `the name of a section is read in full`(length: Int) throws {
        let name = String(repeating: "x", count: length - 1) + "y"
        try folder.write("[\(name)]\nRate=20\n")
        let warning = "orientd.conf:2: [\(name)] is not a section; Rate belongs below [Sensor]"
        #expect(try folder.read().warnings == [warning])
    }

    @Test func `each application has a section, of which the last one counts`() throws {
        let mask = "SupportedOrientations="
        try folder.write("[Application a]\n\(mask)all\n[Application b]\n\(mask)portrait\n")
        try folder.write("[Application a]\n\(mask)landscape\n", dropIn: "a.conf")
        let (configuration, warnings) = try folder.read()
        #expect(configuration == changed { $0.machine.applicationMasks = ["a": .landscape, "b": .portrait] })
        #expect(warnings == [])
    }

    @Test(arguments: [
        ("Application", "SupportedOrientations=all", "SupportedOrientations=all: the section names no application"),
        ("Application \t", "SupportedOrientations=all", "SupportedOrientations=all: the section names no application"),
        ("Application", "Rate=20", "Rate: this setting belongs below [Sensor]"),
        ("Application a", "Rate=20", "Rate: this setting belongs below [Sensor]"),
        ("Application a", "Autorotate=never", "Autorotate: this setting belongs below [Orientation]"),
        ("Applications", "SupportedOrientations=all", supported),
        ("application a", "SupportedOrientations=all", supported),
        (" Application a", "SupportedOrientations=all", supported),
    ])
    func `a section of an application without a name or with another key is a warning`(
        section: String,
        assignment: String,
        warning: String
    ) throws {
        try folder.write("[\(section)]\n\(assignment)\n")
        let (configuration, warnings) = try folder.read()
        #expect(configuration == Configuration())
        #expect(warnings == ["orientd.conf:2: [\(section)] \(warning)"])
    }

    // MARK: - Files that are none

    // /dev/zero took all memory, and a pipe would never have ended.
    @Test func `a device, a pipe or a file that is too large is one warning each, and the others count`() throws {
        try folder.write("[Sensor]\nRate=20\n")
        for (name, device) in [("a", "/dev/zero"), ("b", "/dev/urandom"), ("c", "/dev/null")] {
            symlink(device, "\(folder.file).d/\(name).conf")
        }
        mkfifo("\(folder.file).d/d.conf", 0o600)
        try folder.write(String(repeating: "#", count: 1 << 20 + 1), dropIn: "e.conf")
        try folder.write("[Sensor]\nRate=30\n", dropIn: "f.conf")
        let (configuration, warnings) = try folder.read()
        #expect(configuration == changed { $0.rate = 30 })
        let names = ["a", "b", "d"].map { "\(folder.file).d/\($0).conf" }
        #expect(
            warnings == names.map { "cannot read \($0): it is no regular file" } + [
                "cannot read \(folder.file).d/e.conf: it has more than 1048576 bytes"
            ]
        )
    }

    @Test func `a long line is a warning that does not have it, and a long value is cut in one`() throws {
        let (longest, value) = (String(repeating: "#", count: 4096), String(repeating: "x", count: 4000))
        try folder.write("\(longest)\n\(longest)y\nx\(longest)\n[Sensor]\nRate=\(value)\nRate=20\n")
        let (configuration, warnings) = try folder.read()
        #expect(configuration == changed { $0.rate = 20 })
        #expect(warnings.count == 2 && warnings[0] == "orientd.conf:3: the line has more than 4096 bytes")
        #expect(warnings[1].hasPrefix("orientd.conf:5: [Sensor] Rate=xxx") && warnings[1].hasSuffix("xxx…"))
        #expect(warnings[1].utf8.count <= 410)
    }

    // MARK: - Random lines

    @Test(arguments: UInt64(1)...4)
    func `of 2500 random lines exactly the bad ones are warnings, each once`(seed: UInt64) throws {
        var random = SplitMix(state: seed)
        var text: [UInt8] = []
        var bad: [Int] = []
        var section = ""
        for line in 1...2500 {
            let (bytes, isBad) = Self.line(&random, in: &section)
            text += bytes + [0x0a]
            if isBad { bad.append(line) }
        }
        try folder.write(text)
        let warnings = try folder.read().warnings
        let warned = warnings.prefix(100).map { warning -> Int in
            let number = warning.split(separator: ":", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
            return number ?? -1
        }
        #expect(bad.count > 500 && bad.count < 2000, "seed \(seed)")
        #expect(warned == Array(bad.prefix(100)), "seed \(seed)")
        #expect(warnings.dropFirst(100) == ["\(bad.count - 100) more warnings of this kind are left out"])
    }

    /// A line without a line feed, and whether it must be a warning.
    private static func line(_ random: inout SplitMix, in section: inout String) -> (bytes: [UInt8], isBad: Bool) {
        func pick<Element>(_ elements: [Element]) -> Element { elements[Int(random.next() % UInt64(elements.count))] }
        switch random.next() % 8 {
        case 0:
            section = pick(["Sensor", "Orientation", "Other", ""])
            return (Array("[\(section)]".utf8), false)
        case 1:
            return (Array(pick(["", "   ", "\t", "; text", "# Rate=0", "\r"]).utf8), false)
        case 2:
            // No key, section or comment can begin with such a byte.
            let noise = (0..<random.next() % 40 + 1).map { _ in UInt8(random.next() % 26) + UInt8(ascii: "a") }
            return (noise, true)
        case 3:
            return (Array("Rate=\(pick(["0", "x", "1001", "-1"]))".utf8), true)
        case 4:
            return (
                Array(repeating: pick([UInt8(ascii: "="), UInt8(ascii: "x")]), count: 300 + Int(random.next() % 2000)),
                true
            )
        case 5:
            return (Array("Rate=20".utf8) + [0] + Array("Frame=kernel".utf8), true)
        case 6:
            section = ""
            return (Array("[Sensor".utf8), true)
        default:
            return (Array("Rate=\(1 + random.next() % 1000)".utf8), section != "Sensor")
        }
    }

    @Test func `raw bytes with no regard for lines never crash`() throws {
        for seed in UInt64(1)...50 {
            var random = SplitMix(state: seed)
            try folder.write((0..<5000).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            let lines = try folder.read().warnings.map { $0.split(separator: ":")[1] }
            #expect(!lines.isEmpty, "seed \(seed)")
            #expect(Set(lines).count == lines.count, "seed \(seed): two warnings about one line")
        }
    }
}
