import ConnectionEngine
import Testing

@testable import Lifeline

@Suite("Whole lists of members (LL-86)", .timeLimit(.minutes(1)))
struct MemberListsTests {
    private let channel = "presence-room"
    private let ann = Member(id: "ann", info: #"{"name":"Ann"}"#)
    private let ben = Member(id: "ben")

    private func room() async throws -> (client: LifelineClient, adapter: ScriptedAdapter, room: Room) {
        let (client, adapter) = scriptedClient(members: [ann])
        return (client, adapter, try await client.channel(channel).subscribe())
    }

    @Test("The list of now comes first, then another one after each change, and none for what changes nothing")
    func lists() async throws {
        let (_, adapter, room) = try await room()
        var lists = try room.presence.memberLists.makeAsyncIterator()
        #expect(await lists.next() == [ann])
        adapter.tell(.joined(channel: channel, ben))
        #expect(await lists.next() == [ann, ben])
        adapter.tell(.joined(channel: channel, ben))
        adapter.tell(.left(channel: channel, memberID: "ann"))
        #expect(await lists.next() == [ben])
        room.unsubscribe()
        #expect(await lists.next() == nil)
    }

    @Test("A consumer that is late gets the newest list, once")
    func late() async throws {
        let (_, adapter, room) = try await room()
        var lists = try room.presence.memberLists.makeAsyncIterator()
        #expect(await lists.next() == [ann])
        adapter.tell(.joined(channel: channel, ben))
        adapter.tell(.left(channel: channel, memberID: "ann"))
        #expect(await lists.next() == [ben])
        adapter.tell(.joined(channel: channel, ann))
        #expect(await lists.next() == [ben, ann])
    }

    @Test("What is known of a member can be decoded; the error does not show it")
    func info() throws {
        struct Info: Codable, Hashable { var name: String }
        struct Other: Codable { var age: Int }
        #expect(try ann.decodeInfo(as: Info.self) == Info(name: "Ann"))
        #expect(try ben.decodeInfo(as: Info.self) == nil)
        let error = #expect(throws: LifelineError.self) { try ann.decodeInfo(as: Other.self) }
        #expect(error?.code == .undecodable && error?.reason.contains("Ann") == false)
    }
}
