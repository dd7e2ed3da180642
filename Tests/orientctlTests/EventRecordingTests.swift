// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import orientctl

@Suite struct EventRecordingTests {
    private func lines(_ events: String...) -> [String] {
        let text = (["t_seconds,x,y,z"] + events).joined(separator: "\n") + "\n"
        return Array(EventRecording.anonymized(text).dropFirst())
    }

    @Test func `samples are unchanged`() {
        let samples = ["0,0,9.81,0", "0.1,nan,-1e3,0", "0.2,base,1,2,3"]
        let text = "t_seconds,x,y,z\r\n" + samples.joined(separator: "\r\n")
        #expect(EventRecording.anonymized(text) == ["t_seconds,x,y,z"] + samples)
    }

    @Test func `applications, clients and reasons have stable pseudonyms`() {
        #expect(
            lines(
                "1,request,id=1,app=org.example.Player,client=%3a1.5,mask=30,reason=a%20film",
                "2,request,id=2,app=org.example.Home,client=:1.6,reason=",
                "3,request,id=3,app=org.example.Player,client=:1.6,reason=b=c",
                "4,proxy-claim,clients=:1.5;:1.6"
            ) == [
                "1,request,id=1,app=app1,client=client1,mask=30,reason=reason1",
                "2,request,id=2,app=app2,client=client2,reason=",
                "3,request,id=3,app=app1,client=client2,reason=reason2",
                "4,proxy-claim,clients=clients1",
            ]
        )
    }

    @Test func `other fields are unchanged but for control characters`() {
        #expect(
            lines("1,tablet-switch,mode=tablet", "2,lid\u{1B},closed=yes")
                == ["1,tablet-switch,mode=tablet", "2,lid\u{FFFD},closed=yes"]
        )
    }
}
