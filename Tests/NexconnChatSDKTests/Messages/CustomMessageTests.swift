import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

private struct Order: Codable, Hashable, Sendable {
    var item: String
    var count: Int
}

private final class OrderMessage: CustomMessage, @unchecked Sendable {
    let order: Order

    override class var messageType: String { "test:order" }
    override class var persistencePolicy: MessagePersistencePolicy { .persisted }

    init(_ order: Order) {
        self.order = order
        super.init()
    }

    required init(content: Data) throws {
        order = try JSONDecoder().decode(Order.self, from: content)
        try super.init(content: content)
    }

    override func encode() throws -> Data { try JSONEncoder().encode(order) }
}

/// Calls back when it is released.
private final class ReadingMessage: MessageContent, @unchecked Sendable {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
        super.init()
    }

    required init(content: Data) throws {
        body = {}
        super.init()
    }

    deinit { body() }
}

private final class DrawingMessage: CustomMediaMessage, @unchecked Sendable {
    override class var messageType: String { "test:drawing" }
}

private final class Forbidden: CustomMessage, @unchecked Sendable {
    override class var messageType: String { "RC:TxtMsg" }
}

private final class Broken: CustomMessage, @unchecked Sendable {
    override class var messageType: String { "test:broken" }
    override func encode() throws -> Data { Data("[1]".utf8) }
}

/// Kinds of messages that applications make (rules NH-4, NH-5).
@Suite struct CustomMessageTests {
    @Test func `a registered kind is read by its class, the shared members included`() throws {
        #expect(NCEngine.registerCustomMessages([OrderMessage.self]) == nil)
        let message = OrderMessage(Order(item: "tea", count: 2))
        message.extra = "fast"
        let read = ContentRegistry.content(type: "test:order", bytes: try message.encoded())
        #expect((read as? OrderMessage)?.order == Order(item: "tea", count: 2))
        #expect(read.extra == "fast")
        #expect(message.policy == .persisted)
    }

    @Test func `what a class cannot read is unknown, and keeps its bytes`() throws {
        #expect(NCEngine.registerCustomMessages([OrderMessage.self]) == nil)
        let bytes = Array(#"{"item":5,"extra":"x"}"#.utf8)
        let read = try #require(ContentRegistry.content(type: "test:order", bytes: bytes) as? UnknownMessage)
        #expect(read.type == "test:order" && read.rawData == Data(bytes) && read.extra == "x")
        #expect(try ContentFields(read.encoded())?["item"]?.integer == 5)
    }

    @Test func `a kind that nobody registered is unknown`() {
        let read = ContentRegistry.content(type: "test:other", bytes: Array("{}".utf8))
        #expect((read as? UnknownMessage)?.type == "test:other")
    }

    @Test func `a kind with a file carries its address`() throws {
        #expect(NCEngine.registerCustomMessages([DrawingMessage.self]) == nil)
        let message = DrawingMessage(localPath: "/a/b.png")
        message.remoteUrl = "https://x"
        let read = ContentRegistry.content(type: "test:drawing", bytes: try message.encoded()) as? DrawingMessage
        #expect(read?.remoteUrl == "https://x" && read?.name == "b.png" && read?.localPath == nil)
    }

    @Test func `the service's own types and built-in classes are refused`() {
        #expect(NCEngine.registerCustomMessages([Forbidden.self])?.code == 34209)
        #expect(NCEngine.registerCustomMessages([TextMessage.self])?.code == 34209)
        #expect(ContentRegistry.content(type: "RC:TxtMsg", bytes: Array(#"{"content":"t"}"#.utf8)) is TextMessage)
    }

    @Test func `a content of the app may read the message that held it when it is released`() {
        let reply = ReferenceMessage(content: "re", referMsg: nil, referMsgUserId: "u", referMsgId: "1")
        let found = NIOLockedValueBox<[Bool]>([])
        reply.referMsg = ReadingMessage { [weak reply] in
            found.withLockedValue { $0.append(reply?.referMsg == nil) }
        }
        reply.referMsg = nil
        #expect(found.withLockedValue { $0 } == [true])
    }

    @Test func `an encode that gives no object is an error of its own`() throws {
        #expect(throws: NCError.self) { try Broken().encoded() }
        let channel = try #require(DirectChannel(channelId: "u2"))
        #expect(throws: NCError.self) {
            try Outgoing(Broken(), SendMessageParams(content: Broken()), to: channel.channel, clientID: "c")
        }
    }
}
