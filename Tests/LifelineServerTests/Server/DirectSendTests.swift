import LifelineServer
import Testing

@testable import ServerTestSupport

@Suite("Frames that go to the socket directly (SV-75)", .timeLimit(.minutes(1)))
struct DirectSendTests {
    @Test("What a socket does not take comes behind what it took, whole and in order")
    func rest() async throws {
        try await withServer(quietApplication, { $0.maximumPendingBytes = 32 << 20 }) { server in
            let slow = try await TestClient.connect(server)
            try await slow.subscribe("room")
            try await slow.setReading(false)
            let padding = String(repeating: "x", count: 9_000)
            let count = 1_500
            for number in 0..<count {
                await server.waitForRoom()
                try server.publish(channel: "room", event: "e", data: "\(number) \(padding)")
            }
            // So much fits into no socket: the rest waits in the server.
            await eventually { (try? await server.mostPendingBytes()) ?? 0 > 0 }
            try await slow.setReading(true)
            for number in 0..<count {
                let data = try await slow.expect("e").data
                try #require(data == "\(number) \(padding)")
            }
            // Now nothing waits any more, and the next one goes directly again.
            try server.publish(channel: "room", event: "last", data: "1")
            #expect(try await slow.expect("last").data == "1")
            #expect(try await server.mostPendingBytes() == 0)
        }
    }

    @Test("Answers of a client and deliveries to it keep their order", arguments: 0..<4)
    func mixed(round: Int) async throws {
        try await withServer(quietApplication, { $0.threads = 1 }) { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            for number in 0..<200 {
                try server.publish(channel: "room", event: "e", data: "\(number)")
                if number % 3 == round { try await client.send(#"{"event":"pusher:ping","data":{}}"#) }
            }
            var numbers: [Int] = []
            while numbers.count < 200 {
                guard case .message(let message) = try await client.next() else { break }
                if message.event == "e", let number = message.data.flatMap({ Int($0) }) { numbers.append(number) }
            }
            #expect(numbers == Array(0..<200))
        }
    }
}
