import Foundation
import WireCoding

/// The base class of an application's own message types.
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
/// The fields `extra`, `user` and `mentionedInfo` of the JSON object are written by ``MessageContent``, unless `encode` writes them itself.
///
/// `@unchecked Sendable`: every property of this class is constant or `Guarded`, which protects it with a lock; a subclass is responsible
/// for its own properties.
#if canImport(ObjectiveC)
    @objc(NCCustomMessage) @objcMembers
#endif
open class CustomMessage: MessageContent, @unchecked Sendable {
    /// Creates a content without values.
    public override init() {
        super.init()
    }

    /// Reads a received content.
    ///
    /// - Parameter content: a JSON object in UTF-8.
    /// - Throws: any error of a subclass; the message then has an ``UnknownMessage`` as its content.
    public required init(content: Data) throws {
        guard let fields = ContentFields(Array(content)) else {
            throw NCError(code: 34205, reason: "The content of a custom message is not a JSON object.")
        }
        super.init(fields)
    }

    /// Returns the content's values as a JSON object in UTF-8.
    ///
    /// - Throws: any error of a subclass; the message is not sent then.
    open func encode() throws -> Data { Data("{}".utf8) }

    override final func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields = try CustomContent.fields(encode)
    }
}

/// The base class of an application's own message types with a file. It works like ``CustomMessage``; the fields `localPath`, `remoteUrl`
/// and `name` are also written automatically, unless `encode` writes them itself.
///
/// `@unchecked Sendable`: every property of this class is constant or `Guarded`, which protects it with a lock; a subclass is responsible
/// for its own properties.
#if canImport(ObjectiveC)
    @objc(NCCustomMediaMessage) @objcMembers
#endif
open class CustomMediaMessage: MediaMessageContent, @unchecked Sendable {
    /// Creates a content with the file at `localPath`.
    public override init(localPath: String?) {
        super.init(localPath: localPath)
    }

    /// Reads a received content.
    ///
    /// - Throws: any error of a subclass; the message then has an ``UnknownMessage`` as its content.
    public required init(content: Data) throws {
        guard let fields = ContentFields(Array(content)) else {
            throw NCError(code: 34205, reason: "The content of a custom message is not a JSON object.")
        }
        super.init(fields)
        remoteUrl = fields.string("remoteUrl")
    }

    /// Returns the content's values as a JSON object in UTF-8.
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

/// A content whose type was not registered, or that could not be decoded. It contains the data as it was received.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCUnknownMessage) @objcMembers
#endif
public final class UnknownMessage: MessageContent, @unchecked Sendable {
    /// The name of the content's type in the protocol.
    public let type: String
    /// The content as it was received: a JSON object in UTF-8.
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
        do { data = try encode() } catch { throw NCError(code: 34205, reason: "The custom message's encode() threw an error.") }
        guard let fields = ContentFields(Array(data)) else {
            throw NCError(code: 34205, reason: "The custom message's encode() did not return a JSON object.")
        }
        return fields
    }
}
