import Testing

@testable import LifelineCommand

@Suite("lifeline channels (rule CL-107)")
struct ListedChannelTests {
    @Test("A line has what the service says, and nothing that could confuse a terminal")
    func lines() {
        #expect(ListedChannel("room", subscriptions: 1).text == "room  1 subscription")
        #expect(
            ListedChannel("presence-a", subscriptions: 3, users: 2, members: ["ann", "ben\n"]).text
                == "presence-a  3 subscriptions, 2 users: ann, ben ")
        #expect(ListedChannel("\u{1B}c").text == "\\u001Bc")
        #expect(
            ListedChannel("a", users: 1, members: ["b"]).json("channel")
                == #"{"ev":"channel","ch":"a","subscriptions":null,"users":1,"members":["b"]}"#)
    }

    @Test("Changes are told in the order of names; names are compared by bytes")
    func changes() {
        let old = [ListedChannel("a", users: 1), ListedChannel("b"), ListedChannel("d")]
        let new = [
            ListedChannel("a", users: 2), ListedChannel("c"), ListedChannel("d"), ListedChannel("e\u{301}"),
            ListedChannel("\u{E9}"),
        ]
        let changes = ListedChannelChange.changes(from: old, to: new)
        #expect(changes.map(\.text) == ["~ a  2 users", "- b", "+ c", "+ e\u{301}", "+ \u{E9}"])
        #expect(ListedChannelChange.changes(from: new, to: new).isEmpty)
    }
}
