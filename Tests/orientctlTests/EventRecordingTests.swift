// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import orientctl

@Suite struct EventRecordingTests {
    private let anonymizer = Anonymizer([("ann", "<user>"), ("box", "<host>")])

    private func lines(_ events: String...) -> [String] {
        let recording = EventRecording(text: (["t_seconds,x,y,z"] + events).joined(separator: "\n") + "\n")
        return Array(recording.lines(anonymizedBy: anonymizer).dropFirst())
    }

    @Test func `samples are unchanged`() {
        let samples = ["0,0,9.81,0", "0.1,nan,-1e3,0", "0.2,1,2,3"]
        let recording = EventRecording(text: "t_seconds,x,y,z\r\n" + samples.joined(separator: "\r\n"))
        #expect(recording.lines(anonymizedBy: anonymizer) == ["t_seconds,x,y,z"] + samples)
    }

    @Test func `applications, clients and reasons have stable pseudonyms`() {
        #expect(
            lines(
                "1,request,id=1,app=org.example.Player,client=%3a1.5,mask=30,reason=a%20film",
                "2,request,id=2,app=org.example.Home,client=:1.6,reason=",
                "3,request,id=3,app=org.example.Player,client=:1.6,reason=b=c"
            ) == [
                "1,request,id=1,app=app1,client=client1,mask=30,reason=reason1",
                "2,request,id=2,app=app2,client=client2,reason=",
                "3,request,id=3,app=app1,client=client2,reason=reason2",
            ]
        )
    }

    @Test func `other fields lose personal data and control characters`() {
        #expect(
            lines("1,sensor,name=ann on box,path=/home/bob/x", "2,lid\u{1B},ann")
                == ["1,sensor,name=<user> on <host>,path=/home/<user>/x", "2,lid\u{FFFD},<user>"]
        )
    }
}
