// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import orientctl

@Suite struct AnonymizerTests {
    private let anonymizer = Anonymizer([
        ("ann", "<user>"), ("/srv/ann", "<home>"), ("box", "<host>"), ("box.example.org", "<host>"), ("", "<none>"),
    ])

    @Test(arguments: [
        ("ann on box", "<user> on <host>"), ("ANN@Box.Example.org:", "<user>@<host>:"),
        // A part of a word is not the word.
        ("annex mailbox box_1 manna", "annex mailbox box_1 manna"), ("box-1", "<host>-1"),
        ("/srv/ann/trace.csv", "<home>/trace.csv"), ("/srv/anna", "/srv/anna"),
        ("replay:/home/bob/trace.csv", "replay:/home/<user>/trace.csv"), ("/home/", "/home/"),
        ("'/home/bob'", "'/home/<user>'"), ("read ip:[fe80::1]:30431/in: gone", "read ip:<address>/in: gone"),
        ("Source=iio:usb:1.5.0", "Source=iio:usb:<address>"), ("ship:1", "ship:1"), ("usb: none", "usb: none"),
        ("/etc/orientd/orientd.conf.d/bob.conf:3: x", "/etc/orientd/orientd.conf.d/<file>:3: x"),
        ("9.81 m/s²", "9.81 m/s²"), ("", ""),
    ])
    func `personal data are removed, and nothing else`(text: String, cleaned: String) {
        #expect(anonymizer.cleaned(text) == cleaned)
    }

    @Test func `of a warning about orientd.conf only the place is kept`() {
        let warning = "/etc/orientd/orientd.conf:3: [Application org.example.Secret] Rate is not a setting of orientd"
        let anonymizer = Anonymizer([(DoctorReport.message(of: warning), "(text left out)")])
        #expect(
            anonymizer.cleaned("warn  \(warning); try: it")
                == "warn  /etc/orientd/orientd.conf:3: (text left out); try: it"
        )
    }

    @Test(arguments: [("in_accel_scale", true), ("buffer/length", true), ("serialnumber", false), ("uevent", false)])
    func `attributes that identify one piece of hardware are left out`(name: String, isPublic: Bool) {
        #expect(DoctorReport.isPublic(name) == isPublic)
    }
}
