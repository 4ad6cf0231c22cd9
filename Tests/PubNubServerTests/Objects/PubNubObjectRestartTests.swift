import Foundation
import NIOCore
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("App Context over HTTP and over restarts (rules PO-1, PO-6, PO-7)", .timeLimit(.minutes(1)))
struct PubNubObjectRestartTests {
    private static let base = "/v2/objects/demo"

    @Test("Every call of App Context over sockets, with a restart between writing and reading")
    func restart() async throws {
        let directory = NSTemporaryDirectory() + "lifeline-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        var (before, cursor): ([String], String) = ([], "")
        let reads = [
            "/uuids?include=custom&count=1", "/uuids/ann", "/channels", "/channels/room", "/uuids/ann/channels",
            "/channels/room/uuids",
        ]
        for round in 0..<2 {
            try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
                let client = try await PollClient.connect(server)
                if round == 0 {
                    cursor = try await client.handshake("room")
                    let calls: [(String, String, String)] = [
                        ("/uuids/ann", #"{"name":"Ann","custom":{"a":1}}"#, ""), ("/uuids/bob", "{}", ""),
                        ("/channels/room", #"{"name":"Room"}"#, ""), ("/channels/gone", "{}", ""),
                        (
                            "/uuids/ann/channels", #"{"set":[{"channel":{"id":"room"},"status":"s"},{"channel":{"id":"hall"}}]}"#,
                            ""
                        ),
                        ("/channels/room/uuids", #"{"set":[{"uuid":{"id":"bob"}}]}"#, ""),
                        ("/uuids/ann/channels", #"{"delete":[{"channel":{"id":"hall"}}]}"#, ""),
                    ]
                    for (path, body, fields) in calls {
                        let answer = try await client.patch(Self.base + path, ByteBuffer(string: body), fields)
                        #expect(answer.status == 200, "\(path) \(answer.body)")
                    }
                    #expect(try await client.delete(Self.base + "/channels/gone").status == 200)
                    for path in reads { before.append(try await client.get(Self.base + path).body) }
                    #expect(before[4].contains("room") && !before[4].contains("hall"))
                } else {
                    for (path, body) in zip(reads, before) { #expect(try await client.get(Self.base + path).body == body) }
                    #expect(try await client.get(Self.base + "/channels/gone").status == 404)
                    // What was told before is caught up with, without a gap.
                    let missed = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
                    #expect(
                        missed.payloads.count == 3 && !missed.followsGap && missed.messages.allSatisfy { $0["e"]?.text == "2" })
                    let stale = try await client.patch(
                        Self.base + "/channels/room", ByteBuffer(string: "{}"), "If-Match: AAAAAAAAAAAAAA\r\n")
                    #expect(stale.status == 412 && stale.head.lowercased().contains("content-type: application/json"))
                }
            }
        }
    }

    @Test("Pages of browsers may call with PATCH and If-Match, and an answer says so as others do")
    func browsers() async throws {
        try await withServer(quietApplication) { server in
            let client = try await PollClient.connect(server)
            let answer = try await client.get(Self.base + "/uuids")
            let head = answer.head.lowercased()
            #expect(head.contains("access-control-allow-origin: *"))
            #expect(head.contains("access-control-allow-methods: get, post, patch, delete, options"))
        }
    }
}
