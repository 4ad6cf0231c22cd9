import LifelineServer
import NIOCore
import PusherProtocol
import Testing
import WebSocketFraming

@testable import ServerTestSupport

/// Answers grow as subscriptions do, so who asks without reading them is a slow reader before it has subscribed to anything.
@Suite("Clients that ask and do not read the answers (SV-4)", .timeLimit(.minutes(1)))
struct UnreadAnswersTests {
    private static let limit = 65_536

    enum Question: CaseIterable, CustomTestStringConvertible {
        case control, ping, nonsense, refused, signIn

        /// One frame that gets an answer.
        func frame(_ client: TestClient) async -> [UInt8] {
            switch self {
            case .control:
                var buffer = ByteBuffer()
                var writer = WebSocketFrameWriter(role: .client)
                Array(repeating: UInt8(ascii: "x"), count: 125).withUnsafeBytes { writer.writePing($0, to: &buffer) }
                return Array(buffer: buffer)
            case .ping: return await client.textBytes(#"{"event":"pusher:ping","data":{}}"#)
            case .nonsense: return await client.textBytes("{")
            case .refused:
                let name = "private-" + String(repeating: "x", count: 150)
                return await client.textBytes(#"{"event":"pusher:subscribe","data":{"channel":"\#(name)"}}"#)
            case .signIn: return await client.textBytes(#"{"event":"pusher:signin","data":{"auth":"x","user_data":"{}"}}"#)
            }
        }

        var testDescription: String { "\(self)" }
    }

    // Proof of SV-4.
    @Test(
        "What waits for them is bounded and they are cut, whatever they ask; others notice nothing",
        arguments: [Question.control, .nonsense, .refused])
    func cut(question: Question) async throws {
        let configure: (inout ServerConfiguration) -> Void = {
            $0.maximumPendingBytes = Self.limit
            $0.closeTimeout = .milliseconds(200)
        }
        try await withServer(quietApplication, configure) { server in
            let good = try await TestClient.connect(server)
            let silent = try await TestClient.connect(server)
            try await silent.setReading(false)
            let frame = await question.frame(silent)
            let frames = Array(repeatElement(frame, count: 512).joined())
            var most = 0
            // Far more than the sockets of both sides take. A socket that was cut takes nothing.
            for round in 0..<2_000 where server.statistics.slowSubscribersCut == 0 {
                do { try await silent.sendBytes(frames) } catch { break }
                if round % 16 == 0 { most = max(most, try await server.mostPendingBytes()) }
            }
            await eventually { server.statistics.slowSubscribersCut == 1 }
            #expect(server.statistics.slowSubscribersCut == 1)
            // The answer with which the limit was passed, and the farewell, are beyond it.
            #expect(most <= Self.limit + 16_384)
            try await good.expectSilence()
            await silent.resetSocket()
            await good.closeSocket()
            #expect(try await server.leftoversInTheEnd() == Leftovers())
        }
    }
}
