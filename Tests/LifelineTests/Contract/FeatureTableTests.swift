import Foundation
import Lifeline
import Testing

/// The table of the article *What each service can do* against the code. Nothing is connected.
@Suite("What each service can do (LL-87)")
struct FeatureTableTests {
    /// The clients of the first column. Access tells more than the name of a service.
    private let clients: [String: LifelineClient] = [
        "Pusher, with the app's secret": LifelineClient(
            .pusher(key: "key", host: .init("127.0.0.1", port: 1), access: .secret("secret", appID: "1"))),
        "Pusher, with an endpoint": LifelineClient(
            .pusher(key: "key", host: .init("127.0.0.1", port: 1), access: .endpoint("http://127.0.0.1:1/auth"))),
        "PubNub": LifelineClient(
            .pubnub(publishKey: "demo", subscribeKey: "demo", userID: "ann", host: .init("127.0.0.1", port: 1))),
        "PubNub, with a cipher key": LifelineClient(
            .pubnub(
                publishKey: "demo", subscribeKey: "demo", userID: "ann", host: .init("127.0.0.1", port: 1), cipherKey: "key")),
        "chat": LifelineClient(.nexconn(appKey: "key", host: .init("127.0.0.1", port: 1), access: .token("token"))),
    ]

    private var rows: [[String]] {
        get throws {
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../../Sources/Lifeline/Lifeline.docc/Articles/Services.md")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
                line.dropFirst().dropLast().split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            }
        }
    }

    @Test func `Rule LL-87: the table of the documentation has the answers of the code`() throws {
        let rows = try rows
        let head = try #require(rows.first)
        let features = head.dropFirst(2).map { ChannelFeature(rawValue: $0) }
        #expect(features == ChannelFeature.allCases)
        let body = rows.dropFirst(2)
        #expect(body.count >= 15 && Set(body.compactMap(\.first)) == Set(clients.keys))
        for row in body {
            let client = try #require(clients[row[0]])
            let channel = client.channel(String(row[1].dropFirst().dropLast()))
            #expect(row.dropFirst(2).map { $0 == "yes" } == features.map(channel.supports), "\(row[0]), \(row[1])")
            #expect(row.dropFirst(2).allSatisfy { $0 == "yes" || $0 == "no" })
        }
    }
}
