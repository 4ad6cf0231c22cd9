import Foundation
import Lifeline
import LifelineTesting

/// What a typical test of an app on `TestService` takes: connect, subscribe, a message, a lost connection with its retries, a publish.
/// Prints a line of JSON for each service.
///
/// Usage: TestServiceBenchmark [COUNT], the number of tests of each service, 1,000 without it.
@main struct TestServiceBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let count = arguments.isEmpty ? 1_000 : Int(arguments.first ?? ""), count > 0, arguments.count < 2 else {
            print("usage: TestServiceBenchmark [COUNT]")
            exit(2)
        }
        let faces: [(name: String, channel: String, service: @Sendable (TestService) -> Service)] = [
            ("pusher", "presence-room", { $0.pusher() }), ("pubnub", "room", { $0.pubnub() }),
            ("nexconn", "room", { $0.nexconn() }),
        ]
        for face in faces {
            // The first one loads what all use.
            try await typical(face.service, face.channel)
            let start = ContinuousClock.now
            for _ in 0..<count { try await typical(face.service, face.channel) }
            let each = (ContinuousClock.now - start) / count
            print("{\"service\":\"\(face.name)\",\"tests\":\(count),\"ms_per_test\":\(each / .milliseconds(1))}")
        }
    }

    private static func typical(_ service: @Sendable (TestService) -> Service, _ channel: String) async throws {
        let double = TestService()
        let client = LifelineClient(service(double))
        try await client.connect()
        let room = try await client.channel(channel).subscribe()
        var messages = room.messages.makeAsyncIterator()
        try await double.deliver(["n": 1], on: channel)
        _ = await messages.next()
        try await double.drop(.reset)
        try await double.advance(by: .seconds(30))
        _ = try await room.publish(["n": 2])
    }
}
