import Testing

@testable import LifelineCommand

@Suite("Commands of listen")
struct ListenInputTests {
    @Test("Every command of the design is understood")
    func commands() throws {
        #expect(try ListenInput.parse("subscribe room") == .subscribe("room"))
        #expect(try ListenInput.parse("unsubscribe room") == .unsubscribe("room"))
        #expect(
            try ListenInput.parse("  publish private-a {\"a\": [1, 2]}")
                == .publish(channel: "private-a", json: "{\"a\": [1, 2]}"))
        #expect(try ListenInput.parse("disconnect") == .disconnect)
        #expect(try ListenInput.parse("connect") == .connect)
        #expect(try ListenInput.parse("status\r") == .status)
        #expect(try ListenInput.parse("quit") == .quit)
        #expect(try ListenInput.parse("  ") == nil)
    }

    @Test("CL-121: blanks and a byte order mark count for nothing in front of the data")
    func blanks() throws {
        #expect(try ListenInput.parse("\u{FEFF}subscribe room") == .subscribe("room"))
        #expect(try ListenInput.parse("subscribe  room  ") == .subscribe("room"))
        #expect(try ListenInput.parse("status \t ") == .status)
        #expect(
            try ListenInput.parse("publish  private-a   {\"a\":  1}") == .publish(channel: "private-a", json: "{\"a\":  1}"))
    }

    @Test(
        "Anything else says what the commands are",
        arguments: ["dance", "subscribe", "subscribe a b", "publish room", "quit now", "Connect"])
    func mistakes(line: String) {
        let failure = #expect(throws: CommandFailure.self) { try ListenInput.parse(line) }
        #expect(failure?.message.contains(ListenInput.summary) == true)
    }
}
