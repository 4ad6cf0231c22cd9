import PusherProtocol
import Testing

@testable import PusherSwift

/// Rules PA-25 to PA-27.
struct PresenceTests {
    private let fixture = Fixture()
    private let notebook = Notebook()

    private func subscribe() -> PusherPresenceChannel {
        fixture.pusher.subscribeToPresenceChannel(
            channelName: "presence-a", onMemberAdded: { [notebook] in notebook.note("+\($0.userId)") },
            onMemberRemoved: { [notebook] in notebook.note("-\($0.userId)") })
    }

    @Test func `the first confirmation brings members without callbacks`() {
        let channel = subscribe()
        #expect(channel.members.isEmpty && channel.me() == nil && channel.myId == nil)
        fixture.deliver(.subscribed("presence-a", members: ["1", "2"], myID: "1"))
        #expect(channel.members.map(\.userId) == ["1", "2"])
        #expect(channel.myId == "1" && channel.me()?.userId == "1")
        #expect(channel.findMember(userId: "2")?.userId == "2" && channel.findMember(userId: "3") == nil)
        #expect(fixture.connection.channels.findPresence(name: "presence-a") === channel)
        #expect(notebook.lines.isEmpty)
    }

    @Test func `members that come and go are told once each`() {
        let channel = subscribe()
        fixture.deliver(
            .subscribed("presence-a", members: ["1"], myID: "1"),
            .memberAdded(channel: "presence-a", PusherMember(userID: "2", infoJSON: #"{"name":"Ann"}"#)),
            .memberAdded(channel: "presence-a", PusherMember(userID: "2", infoJSON: #"{"name":"Bea"}"#)),
            .memberRemoved(channel: "presence-a", PusherMember(userID: "3")))
        #expect(notebook.lines == ["+2"])
        #expect(channel.findMember(userId: "2")?.userInfo as? [String: String] == ["name": "Bea"])
        fixture.deliver(.memberRemoved(channel: "presence-a", PusherMember(userID: "2")))
        #expect(notebook.lines == ["+2", "-2"])
        #expect(channel.members.map(\.userId) == ["1"])
    }

    @Test func `who is removed still has its info`() {
        let channel = fixture.pusher.subscribeToPresenceChannel(channelName: "presence-a")
        channel.onMemberRemoved = { [notebook] in notebook.note("\($0.userInfo as? [String: String] ?? [:])") }
        fixture.deliver(
            .memberAdded(channel: "presence-a", PusherMember(userID: "2", infoJSON: #"{"name":"Ann"}"#)),
            .memberRemoved(channel: "presence-a", PusherMember(userID: "2")))
        #expect(notebook.lines == [#"["name": "Ann"]"#])
    }

    @Test func `a renewal replaces members and tells the difference`() {
        let channel = subscribe()
        fixture.deliver(.subscribed("presence-a", members: ["1", "2", "3"], myID: "1"))
        fixture.deliver(.subscribed("presence-a", members: ["1", "3", "4"], myID: "1", isRenewal: true))
        #expect(channel.members.map(\.userId) == ["1", "3", "4"])
        #expect(notebook.lines == ["-2", "+4"])
    }

    @Test func `whoever comes back under another id has neither left nor come`() {
        let fixture = Fixture(options: PusherClientOptions(authMethod: .inline(secret: "secret")))
        let channel = fixture.pusher.subscribeToPresenceChannel(
            channelName: "presence-a", onMemberAdded: { [notebook] in notebook.note("+\($0.userId)") },
            onMemberRemoved: { [notebook] in notebook.note("-\($0.userId)") })
        let others = ["2", "3"]
        fixture.pusher.connect()
        for (connection, id) in ["1.1", "9.9"].enumerated() {
            if connection > 0 {
                fixture.lose()
                fixture.timers.advanceToNext()
            }
            fixture.transport.report(.opened)
            fixture.receive(MockSocket.greeting(id))
            fixture.confirm("presence-a", #"{"presence":{"ids":["\#(id)","\#(others[connection])"],"hash":{},"count":2}}"#)
            #expect(channel.myId == id && channel.me()?.userId == id)
        }
        #expect(channel.members.map(\.userId) == ["9.9", "3"] && notebook.lines == ["-2", "+3"])
    }

    @Test func `callbacks see the members as they are after the change`() {
        let channel = fixture.pusher.subscribeToPresenceChannel(channelName: "presence-a")
        channel.onMemberAdded = { [notebook] member in
            notebook.note("\(channel.members.count) \(channel.findMember(userId: member.userId) === member)")
        }
        fixture.deliver(.subscribed("presence-a", members: ["1"], myID: "1"))
        fixture.deliver(.memberAdded(channel: "presence-a", PusherMember(userID: "2")))
        #expect(notebook.lines == ["2 true"])
    }

    @Test func `user info of null is none`() {
        #expect(PusherPresenceChannelMember(PusherMember(userID: "1", infoJSON: "null")).userInfo == nil)
        #expect(PusherPresenceChannelMember(PusherMember(userID: "1", infoJSON: "7")).userInfo as? Int == 7)
    }

    @Test func `subscription counts reach every kind of subscribe`() {
        let note: (Int) -> Void = { [notebook] in notebook.note("\($0)") }
        let channels = [
            fixture.pusher.subscribe("a", onSubscriptionCountChanged: note),
            fixture.pusher.subscribe(channelName: "b", onSubscriptionCountChanged: note),
            fixture.pusher.subscribe("presence-c", onSubscriptionCountChanged: note),
            fixture.pusher.subscribeToPresenceChannel(channelName: "presence-d", onSubscriptionCountChanged: note),
        ]
        for (number, channel) in channels.enumerated() {
            #expect(channel.subscriptionCount == nil)
            fixture.deliver(.subscriptionCount(channel: channel.name, number))
            #expect(channel.subscriptionCount == number)
        }
        #expect(notebook.lines == ["0", "1", "2", "3"])
    }
}
