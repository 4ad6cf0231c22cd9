import Lifeline
import LifelineTesting
import Testing

/// What a client shows of its own user, and what others show.
@Suite(.timeLimit(.minutes(5))) struct OwnPresenceTests {
    @Test(arguments: Face.allCases) func `LL-112: an app changes its own presence data, or is told that it cannot`(
        face: Face
    ) async throws {
        let it = try await Connected(face)
        let presence = try it.room.presence
        guard face == .pubnub else {
            let error = await #expect(throws: LifelineError.self) { try await presence.setOwnData(["mood": "busy"]) }
            #expect(error?.code == .unsupported && error?.feature == "change of one's own presence data")
            #expect(!it.room.channel.supports(.ownPresenceData))
            return
        }
        #expect(it.room.channel.supports(.ownPresenceData))
        let me = try #require(it.service.members(of: face.channel).first)
        _ = it.heard.take()
        try await presence.setOwnData(["mood": "busy"])
        try await it.service.settle()
        #expect(it.heard.take() == ["update \(me)"])
        #expect(presence.members == [Member(id: me, info: #"{"mood":"busy"}"#)])
        #expect(try await it.room.channel.members() == presence.members)
        try await presence.setOwnData(json: "{}")
        try await it.service.settle()
        #expect(presence.members == [Member(id: me, info: "{}")])
    }

    @Test func `LL-112: somebody else's new data is an update`() async throws {
        let it = try await Connected(.pubnub)
        try await it.service.join("ann", to: "room", info: #"{"mood":"free"}"#)
        _ = it.heard.take()
        try await it.service.update("ann", on: "room", info: #"{"mood":"busy"}"#)
        #expect(it.heard.take() == ["update ann"])
        #expect(try it.room.presence.members.last?.info == #"{"mood":"busy"}"#)
        await #expect(throws: TestServiceError.self) { try await it.service.update("ben", on: "room", info: "{}") }
        await #expect(throws: TestServiceError.self) { try await it.service.update("ann", on: "room", info: "1") }
    }
}
