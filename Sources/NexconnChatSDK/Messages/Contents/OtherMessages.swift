import Foundation
import WireCoding

/// A content with a geographic location.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCLocationMessage) @objcMembers
#endif
public final class LocationMessage: MessageContent, @unchecked Sendable {
    /// The latitude in degrees.
    @Guarded public var latitude: Double
    /// The longitude in degrees.
    @Guarded public var longitude: Double
    /// The name of the place.
    @Guarded public var poi: String
    /// A small JPEG of a map, which the application provides; nil for none.
    @Guarded public var thumbnailImage: Data?

    /// Creates a location from its coordinates in degrees and the name of the place.
    public init(latitude: Double, longitude: Double, poi: String, thumbnailImage: Data? = nil) {
        self.latitude = latitude
        self.longitude = longitude
        self.poi = poi
        self.thumbnailImage = thumbnailImage
        super.init()
    }

    override init(_ fields: ContentFields) {
        latitude = fields.double("latitude") ?? 0
        longitude = fields.double("longitude") ?? 0
        poi = fields.string("poi") ?? ""
        thumbnailImage = fields.string("content").flatMap { Data(base64Encoded: $0) }
        super.init(fields)
    }

    override public class var messageType: String { MessageType.location }
    override public var conversationDigest: String? { poi }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("latitude", latitude)
        fields.set("longitude", longitude)
        fields.set("poi", poi)
        fields.set("content", thumbnailImage?.base64EncodedString())
    }
}

/// A content with several messages that are forwarded as one.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCCombineMessage) @objcMembers
#endif
public final class CombineMessage: MediaMessageContent, @unchecked Sendable {
    /// Summaries of the first forwarded messages, one line of text for each.
    @Guarded public var summaryList: [String]
    /// The names of the senders of the forwarded messages.
    @Guarded public var nameList: [String]
    /// The forwarded messages as JSON objects with the fields `type`, `from`, `time` and `content`.
    @Guarded public var msgList: [String]
    /// How many messages are forwarded. `msgList` may lack some that the file at `remoteUrl` contains.
    @Guarded public var msgNum: Int
    /// The type of the channel in which the forwarded messages were sent.
    @Guarded public var channelType: ChannelType

    /// Creates a content that forwards `messages`.
    public init(channelType: ChannelType, summaryList: [String], nameList: [String], messages: [Message]) {
        self.channelType = channelType
        self.summaryList = summaryList
        self.nameList = nameList
        msgList = messages.map(Self.line)
        msgNum = messages.count
        super.init(localPath: nil)
    }

    override init(_ fields: ContentFields) {
        summaryList = fields.strings("summaryList") ?? []
        nameList = fields.strings("nameList") ?? []
        msgList = fields["msgList"]?.array?.map { $0.string ?? $0.text } ?? []
        msgNum = fields.integer("msgNum").flatMap { Int(exactly: $0) } ?? 0
        channelType = fields.integer("conversationType").flatMap { ChannelType(rawValue: Int($0)) } ?? .direct
        super.init(fields)
        remoteUrl = fields.string("remoteUrl")
    }

    override public class var messageType: String { MessageType.combine }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("conversationType", channelType.rawValue)
        fields.set("summaryList", .array(summaryList.map { .string($0) }))
        fields.set("nameList", .array(nameList.map { .string($0) }))
        // A value that the application has set and that is not JSON is written as a string.
        fields.set("msgList", .array(msgList.map { (try? JSONValue(parsing: $0)) ?? .string($0) }))
        fields.set("msgNum", msgNum)
        fields.set("remoteUrl", remoteUrl)
        try super.write(&fields, isLocal: isLocal)
    }

    private static func line(_ message: Message) -> String {
        var fields = ContentFields()
        fields.set("type", message.messageType)
        fields.set("from", message.senderUserId)
        fields.set("time", message.sentTime)
        fields.set("content", ContentFields(message.local.content)?.value)
        return fields.value.text
    }
}

/// A command for the receiving application, which is neither stored nor counted as unread.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCCommandMessage) @objcMembers
#endif
public final class CommandMessage: MessageContent, @unchecked Sendable {
    /// The command's name.
    @Guarded public var name: String
    /// The command's data, in the application's own format.
    @Guarded public var data: String

    /// Creates a command with a name and data.
    public init(name: String, data: String) {
        self.name = name
        self.data = data
        super.init()
    }

    override init(_ fields: ContentFields) {
        name = fields.string("name") ?? ""
        data = fields.string("data") ?? ""
        super.init(fields)
    }

    override public class var messageType: String { MessageType.command }
    override public class var persistencePolicy: MessagePersistencePolicy { .none }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("name", name)
        fields.set("data", data)
    }
}
