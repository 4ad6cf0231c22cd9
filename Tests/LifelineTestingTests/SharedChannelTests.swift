import Lifeline
import LifelineTesting
import Testing

/// Two screens of an app on one channel.
@Suite(.timeLimit(.minutes(5))) struct SharedChannelTests {
    @Test(arguments: Face.allCases) func `LL-110: a second screen gets its own room, and the channel is left with the last one`(
        face: Face
    ) async throws {
        let it = try await Connected(face)
        let second = try await it.client.channel(face.channel).subscribe()
        try await it.service.settle()
        let (early, late) = (it.room.messages, second.messages)
        try await it.service.deliver(["n": 1], event: "price", on: face.channel)
        it.room.unsubscribe()
        try await it.service.settle()
        let members = it.service.members(of: face.channel)
        #expect(!members.isEmpty && !it.heard.take().contains("unsubscribed \(face.channel)"))
        try await it.service.deliver(["n": 2], event: "price", on: face.channel)
        second.unsubscribe()
        try await it.service.settle()
        #expect(it.heard.all.contains("unsubscribed \(face.channel)"))
        #expect(it.service.members(of: face.channel).isEmpty)
        var told: [[String]] = []
        for messages in [early, late] {
            var texts: [String] = []
            for await message in messages { texts.append(message.data) }
            told.append(texts)
        }
        #expect(told == [[#"{"n":1}"#], [#"{"n":1}"#, #"{"n":2}"#]])
    }

    @Test(arguments: Face.allCases) func `LL-110: both screens are told of a gap`(face: Face) async throws {
        let it = try await Connected(face)
        let second = try await it.client.channel(face.channel).subscribe()
        let (early, late) = (it.room.deliveries, second.deliveries)
        it.service.loseMessages()
        try await it.service.drop(.reset)
        try await it.service.advance(by: .seconds(60))
        try await it.service.deliver(["n": 1], event: "price", on: face.channel)
        it.client.channel(face.channel).unsubscribe()
        try await it.service.settle()
        var told: [[String]] = []
        for deliveries in [early, late] {
            var words: [String] = []
            for await delivery in deliveries {
                switch delivery {
                case .message(let message): words.append(message.data)
                case .gap: words.append("gap")
                case .failed: words.append("failed")
                }
            }
            told.append(words)
        }
        #expect(told[0] == told[1] && told[0].last == #"{"n":1}"#)
        #expect(told[0].contains("gap") == (face != .chat))
    }
}
