import Foundation
import WireCoding

/// The base of an application's own kinds of messages.
///
/// ```swift
/// final class OrderMessage: CustomMessage, @unchecked Sendable {
///     let order: Order                                        // Codable, written as a JSON object
///     override class var messageType: String { "app:order" }  // 1 … 32 characters, not beginning with RC:
///     init(order: Order) { self.order = order; super.init() }
///     required init(content: Data) throws {
///         order = try JSONDecoder().decode(Order.self, from: content)
///         try super.init(content: content)
///     }
///     override func encode() throws -> Data { try JSONEncoder().encode(order) }
/// }
/// NCEngine.registerCustomMessages([OrderMessage.self])       // before connecting
/// ```
/// Members `extra`, `user` and `mentionedInfo` of the object belong to ``MessageContent``, unless `encode` writes them itself.
///
/// `@unchecked Sendable`: here every property is constant or `Guarded`, which protects it with a lock; a subclass is responsible for its own
/// properties.
#if canImport(ObjectiveC)
    @objc(NCCustomMessage) @objcMembers
#endif
open class CustomMessage: MessageContent, @unchecked Sendable {
    /// A content without values.
    public override init() {
        super.init()
    }

    /// Reads a received content.
    ///
    /// - Parameter content: a JSON object in UTF-8.
    /// - Throws: any error of a subclass; the message then has an ``UnknownMessage`` as its content.
    public required init(content: Data) throws {
        guard let fields = ContentFields(Array(content)) else {
            throw NCError(code: 34205, reason: "The content is not a JSON object.")
        }
        super.init(fields)
    }

    /// Writes the content's values as a JSON object in UTF-8.
    ///
    /// - Throws: any error of a subclass; the message is not sent then.
    open func encode() throws -> Data { Data("{}".utf8) }

    override final func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields = try CustomContent.fields(encode)
    }
}

/// The base of an application's own kinds of messages with a file. Like ``CustomMessage``; `localPath`, `remoteUrl` and `name` are
/// members too, unless `encode` writes them itself.
///
/// `@unchecked Sendable`: here every property is constant or `Guarded`, which protects it with a lock; a subclass is responsible for its own
/// properties.
#if canImport(ObjectiveC)
    @objc(NCCustomMediaMessage) @objcMembers
#endif
open class CustomMediaMessage: MediaMessageContent, @unchecked Sendable {
    /// A content with the file at `localPath`.
    public override init(localPath: String?) {
        super.init(localPath: localPath)
    }

    /// Reads a received content.
    ///
    /// - Throws: any error of a subclass; the message then has an ``UnknownMessage`` as its content.
    public required init(content: Data) throws {
        guard let fields = ContentFields(Array(content)) else {
            throw NCError(code: 34205, reason: "The content is not a JSON object.")
        }
        super.init(fields)
        remoteUrl = fields.string("remoteUrl")
    }

    /// Writes the content's values as a JSON object in UTF-8.
    ///
    /// - Throws: any error of a subclass; the message is not sent then.
    open func encode() throws -> Data { Data("{}".utf8) }

    override final func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields = try CustomContent.fields(encode)
        fields.complete("remoteUrl", remoteUrl.map { .string($0) })
        fields.complete("name", name.map { .string($0) })
        if isLocal { fields.complete("localPath", localPath.map { .string($0) }) }
    }
}

/// A content of a type that was not registered, or that could not be read. Keeps the data as it was received.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCUnknownMessage) @objcMembers
#endif
public final class UnknownMessage: MessageContent, @unchecked Sendable {
    /// The name of the type on the wire.
    public let type: String
    /// A JSON object in UTF-8.
    public let rawData: Data

    init(type: String, bytes: [UInt8]) {
        self.type = type
        rawData = Data(bytes)
        super.init()
        if let fields = ContentFields(bytes) { readShared(fields) }
    }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        if let own = ContentFields(Array(rawData)) { fields = own }
    }
}

private enum CustomContent {
    static func fields(_ encode: () throws -> Data) throws(NCError) -> ContentFields {
        let data: Data
        do { data = try encode() } catch { throw NCError(code: 34205, reason: "The message's encode() threw an error.") }
        guard let fields = ContentFields(Array(data)) else {
            throw NCError(code: 34205, reason: "The message's encode() gave something else than a JSON object.")
        }
        return fields
    }
}
