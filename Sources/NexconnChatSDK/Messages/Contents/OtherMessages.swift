import Foundation
import WireCoding

/// A place on earth.
///
/// `@unchecked Sendable` by the constants and locks that ``MessageContent`` names.
#if canImport(ObjectiveC)
    @objc(NCLocationMessage) @objcMembers
#endif
public final class LocationMessage: MessageContent, @unchecked Sendable {
    /// Degrees.
    @Guarded public var latitude: Double
    @Guarded public var longitude: Double
    /// What the place is called.
    @Guarded public var poi: String
    /// A small JPEG of a map. The application makes it: this module decodes no pictures.
    @Guarded public var thumbnailImage: Data?

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

/// Several messages, passed on as one.
///
/// `@unchecked Sendable` by the constants and locks that ``MessageContent`` names.
#if canImport(ObjectiveC)
    @objc(NCCombineMessage) @objcMembers
#endif
public final class CombineMessage: MediaMessageContent, @unchecked Sendable {
    /// A line for each of the first messages.
    @Guarded public var summaryList: [String]
    /// Who took part.
    @Guarded public var nameList: [String]
    /// The messages as JSON objects with the members `type`, `from`, `time` and `content`.
    @Guarded public var msgList: [String]
    /// How many messages there are; `msgList` may lack some that are in the file at `remoteUrl`.
    @Guarded public var msgNum: Int
    @Guarded public var channelType: ChannelType

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
        // As they came, or as text when the application put in something that is no JSON.
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

/// Something for the receiving application, not for its user: neither kept nor counted.
///
/// `@unchecked Sendable` by the constants and locks that ``MessageContent`` names.
#if canImport(ObjectiveC)
    @objc(NCCommandMessage) @objcMembers
#endif
public final class CommandMessage: MessageContent, @unchecked Sendable {
    @Guarded public var name: String
    @Guarded public var data: String

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
