import ChatDatabase
import ChatProtocol
import ConnectionEngine
import Foundation
import Testing

@testable import NexconnChatSDK

/// Whole numbers at the edge of 64 bits in the frames of a server, from the bytes to what an app reads (rules CD-13 and CD-26).
@Suite struct EdgeNumberTests {
    private func frame(_ text: String) throws -> ChatInbound {
        var (decoder, text) = (ChatFrameDecoder(), text)
        return try #require(text.withUTF8 { decoder.text(UnsafeRawBufferPointer($0)) })
    }

    @Test(arguments: ["9223372036854775807", "9223372036854775806", "-9223372036854775808"])
    func `a read mark is acknowledged, and does not keep the app from starting again`(time: String) throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("nexconn-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        // A fixture removes the directory when it is released.
        var fixtures: [EngineFixture] = []
        for start in 0..<2 {
            let fixture = EngineFixture(directory: directory)
            fixtures.append(fixture)
            fixture.connect()
            fixture.confirm(at: UInt64(start * 2), resumed: start > 0)
            fixture.say(.event(EngineFixture.message(UInt64(start * 2 + 1))))
            fixture.say(
                try frame(
                    #"{"t":"in","q":\#(start * 2 + 2),"e":{"k":"read","conv":"direct","ch":"u2","time":\#(time)}}"#))
            fixture.advance(.seconds(2))
            #expect(fixture.sent.contains(#"{"t":"ack","q":\#(start * 2 + 2)}"#), "\(fixture.sent)")
            let database = try #require(fixture.engine.client?.database)
            let channel = ChatChannel(.direct, "u2")
            #expect(try database.firstUnread(of: channel) == nil || time.hasPrefix("-"))
            #expect(try database.history(channel).messages.count == start + 1)
            fixture.disconnect()
        }
        #expect(fixtures.count == 2)
    }

    @Test func `a message with the last id of all is acknowledged, and the user can send to its channel`() throws {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.say(
            try frame(
                #"{"t":"in","q":1,"e":{"k":"msg","id":"9223372036854775807","conv":"direct","from":"u2","to":"u1","type":"t","content":{}}}"#
            ))
        fixture.advance(.seconds(2))
        #expect(fixture.sent.contains(#"{"t":"ack","q":1}"#), "\(fixture.sent)")
        let database = try #require(fixture.engine.client?.database)
        let sent = try database.insert(
            LocalMessage(
                channel: ChatChannel(.direct, "u2"), clientID: "c", sender: "u1", isSent: true, status: .sending, sentTime: 1,
                type: "t", content: Array("{}".utf8)))
        #expect(sent.localID > 0)
    }

    @Test(arguments: [Int64.min, .max]) func `a welcome may say any time`(time: Int64) throws {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.open()
        fixture.say(
            try frame(
                #"{"t":"welcome","user":"u1","session":"s","time":\#(time),"epoch":"e","q":0,"resumed":false,"lost":false,"heartbeat":9223372036854775807}"#
            ))
        fixture.say(.package([], hasMore: false))
        #expect(fixture.engine.client?.user == "u1")
        let delta = try #require(fixture.engine.client?.clockDelta)
        #expect(time == .min ? delta == .max : delta < -1_000_000_000_000_000_000)
    }
}
