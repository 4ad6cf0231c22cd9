import Dispatch
import Foundation
import LifelineServer
import PubNub
import Testing

/// App Context of our client against our server, on real sockets.
@Suite(.serialized) struct PubNubObjectsEndToEndTests {
    private final class Listener: PNEventsListener {
        let seen = Seen<String>()

        func client(_ client: PubNub, didReceive status: PNStatus) { seen.append(status.stringifiedCategory()) }

        func client(_ client: PubNub, didReceiveObjectEvent event: PNObjectEventResult) {
            let data = event.data
            let id = data.channelMetadata?.channel ?? data.uuidMetadata?.uuid ?? data.membership?.channel ?? ""
            seen.append("\(data.type) \(data.event) \(id)")
        }
    }

    private struct Own: Codable, Hashable, Sendable {
        var age: Int
        var team: String
    }

    private func client(_ server: LifelineServer) -> PubNub {
        let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
        configuration.origin = "127.0.0.1:\(server.port)"
        configuration.TLSEnabled = false
        configuration.uuid = "ann"
        configuration.timing = .fast
        return PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "objects"))
    }

    @Test(.timeLimit(.minutes(1))) func `Each of the 16 calls of App Context does what it says`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let pubnub = client(server)
        let ann = try await pubnub.setUserMetadata(PNUserFields(name: "Ann", email: "a@b", custom: Own(age: 41, team: "red")))
        #expect(
            ann.uuid == "ann" && ann.name == "Ann" && ann.email == "a@b" && ann.custom?["age"] as? Int == 41 && !ann.eTag.isEmpty)
        #expect(abs(ann.updated.timeIntervalSinceNow) < 3600)
        #expect(try await pubnub.userMetadata().eTag == ann.eTag)
        _ = try await pubnub.setUserMetadata(PNUserFields(name: "Bob"), of: "bob")
        let users = try await pubnub.allUserMetadata(PNObjectsQuery(sort: ["name:desc"], limit: 1, includesCount: true))
        #expect(users.elements.map(\.uuid) == ["bob"] && users.totalCount == 2)
        let rest = try await pubnub.allUserMetadata(PNObjectsQuery(sort: ["name:desc"], start: users.next))
        #expect(rest.elements.map(\.uuid) == ["ann"] && rest.next != nil && rest.previous != nil)
        let counted = try await pubnub.allUserMetadata(PNObjectsQuery(limit: 0, includesCount: true))
        #expect(counted.elements.isEmpty && counted.totalCount == 2 && counted.next == nil)

        let room = try await pubnub.setChannelMetadata(PNChannelInfo(name: "Room", information: "D"), of: "room")
        #expect(try await pubnub.channelMetadata(of: "room").information == "D" && room.name == "Room")
        #expect(try await pubnub.allChannelMetadata(PNObjectsQuery(filter: "name LIKE 'r*'")).elements.map(\.channel) == ["room"])

        let own = Own(age: 1, team: "blue")
        let joined = try await pubnub.setMemberships(
            in: [PNRelation("room", custom: own), "hall"], include: [.membershipCustomField, .membershipChannelField])
        #expect(joined.elements.map(\.channel) == ["hall", "room"])
        #expect(joined.elements.last?.metadata?.name == "Room" && joined.elements.last?.custom?["team"] as? String == "blue")
        let managed = try await pubnub.manageMemberships(setting: ["attic"], removing: ["hall"])
        #expect(managed.elements.map(\.channel) == ["attic", "room"])
        #expect(try await pubnub.removeMemberships(in: ["attic"]).elements.map(\.channel) == ["room"])
        #expect(try await pubnub.memberships().elements.map(\.channel) == ["room"])

        let members = try await pubnub.setMembers(["bob"], of: "room", include: [.memberUUIDField])
        #expect(members.elements.map(\.uuid) == ["ann", "bob"] && members.elements.last?.metadata?.name == "Bob")
        #expect(
            try await pubnub.manageMembers(setting: ["cat"], removing: ["bob"], of: "room").elements.map(\.uuid) == [
                "ann", "cat",
            ])
        #expect(try await pubnub.removeMembers(["cat"], of: "room").elements.map(\.uuid) == ["ann"])
        #expect(try await pubnub.members(of: "room", PNObjectsQuery(includesCount: true)).totalCount == 1)

        try await pubnub.removeUserMetadata()
        try await pubnub.removeChannelMetadata(of: "room")
        let error = await #expect(throws: PNCallError.self) { try await pubnub.channelMetadata(of: "room") }
        #expect(error?.statusCode == 404)
        try await server.stop()
    }

    @Test(.timeLimit(.minutes(1))) func `A listener hears what changes on the channels that it is subscribed to`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let (pubnub, listener) = (client(server), Listener())
        pubnub.addListener(listener)
        pubnub.subscribeToChannels(["room"], withPresence: false)
        await listener.seen.wait(for: "Connected")
        let first = try await pubnub.setChannelMetadata(PNChannelInfo(name: "Room"), of: "room")
        // Setting the same again is no change (PO-16).
        let second = try await pubnub.setChannelMetadata(PNChannelInfo(name: "Room"), of: "room")
        #expect(second.updated == first.updated && second.eTag == first.eTag)
        for _ in 0..<2 { _ = try await pubnub.setMemberships(in: ["room"]) }
        _ = try await pubnub.setUserMetadata(PNUserFields(name: "Ann"))
        _ = try await pubnub.removeMembers(["ann"], of: "room")
        try await pubnub.removeChannelMetadata(of: "room")
        await listener.seen.wait(for: "channel delete room")
        #expect(
            Array(listener.seen.elements.dropFirst()) == [
                "channel set room", "membership set room", "uuid set ann", "membership delete room", "channel delete room",
            ])
        pubnub.unsubscribeFromAll()
        try await server.stop()
    }
}
