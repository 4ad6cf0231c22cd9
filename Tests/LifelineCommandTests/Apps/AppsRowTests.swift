import ServerStorage
import Testing
import WireCoding

@testable import LifelineCommand

@Suite("Applications on the command line")
struct AppsRowTests {
    @Test func `AR-23: the table has a line for each application, with its source`() {
        let rows: [AppsRow] = [
            .init(["service": "pusher", "id": "1001", "key": "app-key", "source": "file", "enabled": true, "secrets": 1]),
            .init([
                "service": "pubnub", "id": "sub", "key": "pub", "source": "runtime", "enabled": false, "secrets": 2,
                "hidden": false,
            ]),
        ]
        let lines = AppsRow.table(rows)
        #expect(lines.first == "SERVICE  ID    KEY      SOURCE   STATE     SECRETS")
        #expect(lines.element(at: 1) == "pusher   1001  app-key  file     enabled   one")
        #expect(lines.element(at: 2) == "pubnub   sub   pub      runtime  disabled  two")
        let hidden = AppsRow([
            "service": "chat", "id": "c\u{1B}", "key": "c", "source": "runtime", "enabled": true, "hidden": true,
        ])
        let line = AppsRow.table([hidden]).last
        #expect(line?.contains("hidden") == true && line?.contains("\u{1B}") == false)
    }

    @Test func `AR-23: a change prints the secret once, as text or in the object`() {
        let row = AppsRow(changed: [
            "application": ["service": "pubnub", "id": "sub", "key": "pub", "previousEnds": nil], "secret": "s-1",
        ])
        #expect(
            row.lines("created") == [
                "created: pubnub/sub", "subscribe key: sub", "publish key: pub", "secret: s-1  (shown this once)",
            ])
        #expect(row.lines("rotated").last == "the former secret works until 'lifeline apps rotate --finish'")
        let ending = AppsRow(changed: [
            "application": ["service": "chat", "id": "c", "previousEnds": 1_795_957_269], "secret": "s",
        ])
        #expect(ending.lines("rotated").last == "the former secret works until 2026-11-29T13:01:09.000Z")
        #expect(row.json.contains(#""secret":"s-1""#) && row.json.contains(#""id":"sub""#))
        #expect(AppsRow(changed: ["application": ["service": "chat", "id": "c"]]).lines("removed") == ["removed: chat/c"])
    }

    @Test func `AR-22: options make the settings of a new application, and override those of the file`() throws {
        let settings: JSONValue = ["id": "1", "limits": ["connections": 5, "channels": 7], "clientEvents": true]
        let application = try NewApplication(
            names: [("id", "2"), ("key", nil)], limits: ["connections=9"], secret: "s", settings: settings)
        #expect(
            application.value == [
                "id": "2", "limits": ["connections": 9, "channels": 7], "clientEvents": true, "secret": "s",
            ])
        #expect(try NewApplication(names: [("id", nil)], limits: [], secret: nil, settings: nil).value == [:])
        for limit in ["connections", "connections=", "=5", "connections=many"] {
            #expect(throws: CommandFailure.self, "\(limit)") {
                try NewApplication(names: [], limits: [limit], secret: nil, settings: nil)
            }
        }
    }
}
