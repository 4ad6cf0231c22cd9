import NIOCore
import PubNubProtocol
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// Row B7 of the reliability plan: whatever comes in, reading it neither traps nor hangs, and a server answers it with 4xx.
@Suite("Mutated requests (PV-4)", .timeLimit(.minutes(2)))
struct PubNubRequestFuzzTests {
    private static let seeds = [
        "GET /v2/subscribe/demo/room,room-pnpres/0?tt=16000000000000000&tr=1&uuid=u&channel-group=g&filter-expr=a%3D%3D1 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v2/subscribe/demo/,/0?t=%7B%22t%22%3A%2215%22%7D&state=%7B%22a%22%3A%7B%7D%7D&heartbeat=20 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /publish/demo/demo/0/room/0/%7B%22a%22%3A1%7D?meta=%7B%7D&store=1&ttl=0.5&seqn=1&ortt=%7B%7D HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /signal/demo/demo/0/room/0/%22s%22?custom_message_type=mark HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        "GET /v3/history/sub-key/demo/channel/a,b?max=25&start=1&end=2 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v2/presence/sub_key/demo/channel/a,b/uuid/u/data?state=%7B%7D HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/channel-registration/sub-key/demo/channel-group/g/remove HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v2/auth/grant/sub-key/demo?r=1&ttl=10 HTTP/1.1\r\nHost: a\r\n\r\n",
    ]

    private static let inserts = [
        "%", "%2", "%zz", "%00", "%FF", ",", "/", "?", "&", "=", "#", "..", "*", "\r\n", "\u{0}", "é", "-pnpres", " ",
    ]

    /// One to four changes: bytes flipped, taken out, doubled, or something awkward put in.
    private func mutate(_ seed: String, _ random: inout FuzzRandom) -> [UInt8] {
        var bytes = Array(seed.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !bytes.isEmpty else { break }
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0 ... .max, using: &random)
            case 1: bytes.remove(at: index)
            case 2: bytes.insert(bytes[index], at: index)
            case 3: bytes.insert(contentsOf: (Self.inserts.randomElement(using: &random) ?? "").utf8, at: index)
            default: bytes.removeSubrange(index..<min(bytes.count, index + Int.random(in: 1...40, using: &random)))
            }
        }
        return bytes
    }

    @Test("100,000 mutated requests are read, routed or refused")
    func reading() {
        var random = FuzzRandom(seed: 7)
        var counts = (plain: 0, subscribe: 0, routed: 0, refused: 0)
        for round in 0..<100_000 {
            let bytes = mutate(Self.seeds[round % Self.seeds.count], &random)
            bytes.withUnsafeBytes { bytes in
                guard case .complete(let head) = PlainRequestHead.read(bytes) else { return }
                counts.plain += 1
                let target = UnsafeRawBufferPointer(rebasing: bytes[head.target])
                if let subscribe = SubscribeTarget(target) {
                    counts.subscribe += 1
                    _ = SubscriptionList(subscribe, target)
                }
                do throws(HTTPProblem) {
                    let parsed = try RequestTarget(parsing: target)
                    let address = try PubNubAddress(method: "GET", segments: parsed.segments)
                    counts.routed += 1
                    if case .publish(_, let channel, let payload) = address.route {
                        _ = try? PubNubDraft(
                            PubNubServerRequest(method: "GET", target: parsed, body: []), channel: channel, payload: payload,
                            kind: .message, now: .zero)
                    }
                } catch {
                    #expect((400..<500).contains(error.status))
                    counts.refused += 1
                }
            }
        }
        #expect(
            counts.plain > 25_000 && counts.subscribe > 3_000 && counts.routed > 8_000 && counts.refused > 3_000, "\(counts)")
    }

    @Test("A server answers mutated requests with a status, and serves on")
    func answering() async throws {
        try await withServer(quietApplication, { $0.pollHold = .milliseconds(20) }) { server in
            var random = FuzzRandom(seed: 11)
            var statuses: [Int: Int] = [:]
            for round in 0..<400 {
                let client = try await PollClient.connect(server)
                let bytes = mutate(Self.seeds[round % Self.seeds.count], &random)
                try? await client.socket.send(ByteBuffer(bytes: bytes))
                // An ending, in case the mutation took it away.
                try? await client.socket.send("\r\n\r\n")
                guard let status = try? await client.reply().status else {
                    Issue.record("\(String(decoding: bytes, as: UTF8.self)) is not answered.")
                    continue
                }
                #expect(status == 200 || (400..<500).contains(status))
                statuses[status, default: 0] += 1
            }
            #expect(statuses[200, default: 0] > 20 && statuses[400, default: 0] > 20, "\(statuses)")
            #expect(try await PollClient.connect(server).get("/time/0").status == 200)
        }
    }
}
