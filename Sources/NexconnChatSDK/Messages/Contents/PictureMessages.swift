import Foundation

/// A content with a picture, and with a thumbnail that is part of the message.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCImageMessage) @objcMembers
#endif
public final class ImageMessage: MediaMessageContent, @unchecked Sendable {
    /// A small JPEG for previews, which the application provides; nil for none.
    @Guarded public var thumbnailImage: Data? = nil

    /// Creates a content with a picture on this device.
    public override init(localPath: String?) {
        super.init(localPath: localPath)
    }

    /// Creates a content with a picture that was uploaded before.
    public convenience init(remoteUrl: String) {
        self.init(localPath: nil)
        self.remoteUrl = remoteUrl
    }

    override init(_ fields: ContentFields) {
        thumbnailImage = fields.string("content").flatMap { Data(base64Encoded: $0) }
        super.init(fields)
        remoteUrl = fields.string("imageUri")
    }

    override public class var messageType: String { MessageType.image }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("content", thumbnailImage?.base64EncodedString())
        fields.set("imageUri", remoteUrl)
        try super.write(&fields, isLocal: isLocal)
    }
}

/// A content with an animated picture.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCGIFMessage) @objcMembers
#endif
public final class GIFMessage: MediaMessageContent, @unchecked Sendable {
    /// The size of the file in bytes.
    @Guarded public var dataSize: Int64
    /// The width of the picture in pixels.
    @Guarded public var width: Int
    /// The height of the picture in pixels.
    @Guarded public var height: Int

    /// Creates a content with an animated picture on this device; `width` and `height` are in pixels.
    public init(localPath: String?, width: Int = 0, height: Int = 0) {
        dataSize = LocalFile.size(localPath)
        self.width = width
        self.height = height
        super.init(localPath: localPath)
    }

    override init(_ fields: ContentFields) {
        dataSize = fields.integer("gifDataSize") ?? 0
        width = fields.integer("width").flatMap { Int(exactly: $0) } ?? 0
        height = fields.integer("height").flatMap { Int(exactly: $0) } ?? 0
        super.init(fields)
        remoteUrl = fields.string("remoteUrl")
    }

    override public class var messageType: String { MessageType.gif }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("remoteUrl", remoteUrl)
        fields.set("gifDataSize", dataSize)
        fields.set("width", width)
        fields.set("height", height)
        try super.write(&fields, isLocal: isLocal)
    }
}

/// A content with a video of at most two minutes.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCShortVideoMessage) @objcMembers
#endif
public final class ShortVideoMessage: MediaMessageContent, @unchecked Sendable {
    /// The length of the video in seconds.
    @Guarded public var duration: Int
    /// The size of the file in bytes.
    @Guarded public var size: Int64
    /// A small JPEG for previews, which the application provides; nil for none.
    @Guarded public var thumbnailImage: Data?

    /// Creates a content with a video on this device; `duration` is in seconds.
    public init(localPath: String?, duration: Int, thumbnailImage: Data? = nil) {
        self.duration = duration
        self.thumbnailImage = thumbnailImage
        size = LocalFile.size(localPath)
        super.init(localPath: localPath)
    }

    override init(_ fields: ContentFields) {
        duration = fields.integer("duration").flatMap { Int(exactly: $0) } ?? 0
        size = fields.integer("size") ?? 0
        thumbnailImage = fields.string("content").flatMap { Data(base64Encoded: $0) }
        super.init(fields)
        remoteUrl = fields.string("sightUrl")
    }

    override public class var messageType: String { MessageType.shortVideo }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        fields.set("content", thumbnailImage?.base64EncodedString())
        fields.set("sightUrl", remoteUrl)
        fields.set("duration", duration)
        fields.set("size", size)
        try super.write(&fields, isLocal: isLocal)
    }
}
