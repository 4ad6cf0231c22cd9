import Foundation
import Lifeline
import LifelineTesting
import Testing

/// The same script gives the same events, and takes next to no time.
@Suite(.timeLimit(.minutes(5))) struct DeterminismTests {
    /// A script with everything that draws random numbers or runs in tasks of its own.
    private static func run(_ face: Face) async throws -> [String] {
        let it = try await Connected(face)
        try await it.service.join("ann", to: face.channel)
        try await it.service.deliver(["n": 1], event: "price", on: face.channel)
        try await it.service.drop(.reset)
        try await it.service.advance(by: .seconds(40))
        it.service.goSilent()
        try await it.service.advance(by: .seconds(40))
        it.service.refuse(.unreachable)
        try await it.service.advance(by: .seconds(40))
        try await it.service.accept()
        try await it.service.advance(by: .seconds(60))
        _ = try await it.room.publish(["n": 2])
        try await it.service.leave("ann", from: face.channel)
        await it.client.disconnect()
        try await it.service.settle()
        return it.heard.all
    }

    @Test(arguments: Face.allCases) func `LT-37: 200 runs of one script give one list of events`(face: Face) async throws {
        let first = try await Self.run(face)
        #expect(first.count > 20)
        for _ in 1..<200 {
            let next = try await Self.run(face)
            #expect(next == first)
            if next != first { return }
        }
    }

    private static func typical(_ face: Face) async throws {
        let service = TestService()
        let client = LifelineClient(face.service(service))
        try await client.connect()
        let room = try await client.channel(face.channel).subscribe()
        var messages = room.messages.makeAsyncIterator()
        try await service.deliver(["n": 1], on: face.channel)
        _ = await messages.next()
        try await service.drop(.reset)
        try await service.advance(by: .seconds(30))
        _ = try await room.publish(["n": 2])
    }

    #if DEBUG
        /// Unoptimised, and on a machine that does other things as well.
        private static let limit = Duration.milliseconds(20)
    #else
        private static let limit = Duration.milliseconds(5)
    #endif

    /// `LIFELINE_TESTING_ITERATIONS=1000` measures; whatever else the machine does counts otherwise. With real time each would last for half a
    /// minute.
    @Test(arguments: Face.allCases) func `LT-38: a typical test takes less than 5 ms, and none waits for real time`(
        face: Face
    ) async throws {
        let measured = ProcessInfo.processInfo.environment["LIFELINE_TESTING_ITERATIONS"].flatMap { Int($0) }
        let count = measured ?? 20
        let start = ContinuousClock.now
        for _ in 0..<count { try await Self.typical(face) }
        let each = (ContinuousClock.now - start) / count
        if measured != nil { print("TestService, \(face): \(each) a test, \(count) tests") }
        #expect(each < (measured == nil ? .seconds(5) : Self.limit))
    }
}
