import Testing

@testable import LifelineCommand

@Suite("lifeline channels (rule CL-107)")
struct ChannelRowTests {
    @Test("A line has what the service says, and nothing that could confuse a terminal")
    func lines() {
        #expect(ChannelRow("room", subscriptions: 1).text == "room  1 subscription")
        #expect(
            ChannelRow("presence-a", subscriptions: 3, users: 2, members: ["ann", "ben\n"]).text
                == "presence-a  3 subscriptions, 2 users: ann, ben ")
        #expect(ChannelRow("\u{1B}c").text == "\\u001Bc")
        #expect(
            ChannelRow("a", users: 1, members: ["b"]).json("channel")
                == #"{"ev":"channel","ch":"a","subscriptions":null,"users":1,"members":["b"]}"#)
    }

    @Test("Changes are told in the order of names; names are compared by bytes")
    func changes() {
        let old = [ChannelRow("a", users: 1), ChannelRow("b"), ChannelRow("d")]
        let new = [ChannelRow("a", users: 2), ChannelRow("c"), ChannelRow("d"), ChannelRow("e\u{301}"), ChannelRow("\u{E9}")]
        let changes = ChannelChange.changes(from: old, to: new)
        #expect(changes.map(\.text) == ["~ a  2 users", "- b", "+ c", "+ e\u{301}", "+ \u{E9}"])
        #expect(ChannelChange.changes(from: new, to: new).isEmpty)
    }
}
