import ChatDatabase
import ChatProtocol
import Testing

@Suite("Names that Unicode takes for equal (CD-29)")
struct SpellingTests {
    private let scratch = Scratch()
    private static let composed = "caf\u{E9}"
    private static let decomposed = "cafe\u{301}"

    private func message(from sender: String, to receiver: String, _ time: Int64) -> ChatWireEvent {
        .message(
            ChatMessage(
                id: id(time), conversation: .direct, from: sender, to: receiver, type: "RC:TxtMsg", content: textContent("hi")))
    }

    @Test("CD-29: A user is not taken for another one whose name is spelt differently")
    func users() throws {
        let (me, other) = (Self.composed, Self.decomposed)
        let database = try scratch.open(me)
        try database.receive([message(from: other, to: me, 100), message(from: me, to: other, 200)])
        let messages = try database.history(ChatChannel(.direct, other)).messages
        #expect(messages.map(\.isSent) == [true, false])
        #expect(try database.channel(ChatChannel(.direct, other))?.unread == 1)
        #expect(try database.channel(ChatChannel(.direct, me)) == nil)
        let members = [ChatGroupMember(user: other, role: .member)]
        let group = ChatGroup(id: "team", name: "Team", owner: other)
        try database.beginInbox(at: 50, isContinued: false, hasEverything: true)
        try database.merge([], of: ChatHistoryRequest(team), hasMore: false)
        try database.receive(
            [.group(ChatGroupOperation(kind: .join, group: group, operator: other, members: members, time: 300))])
        #expect(try database.history(team).missing == nil)
    }
}
