import Foundation

/// A content with a file.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCFileMessage) @objcMembers
#endif
public final class FileMessage: MediaMessageContent, @unchecked Sendable {
    /// The size of the file in bytes.
    @Guarded public var size: Int64
    /// The file's type: the part of its name after the last dot.
    @Guarded public var fileType: String

    /// Creates a content with a file on this device.
    public init(localPath: String) {
        size = LocalFile.size(localPath)
        fileType = LocalFile.suffix(localPath)
        super.init(localPath: localPath)
    }

    /// Creates a content with a file that was uploaded before.
    public init(remoteUrl: String, name: String, size: Int64) {
        self.size = size
        fileType = LocalFile.suffix(name)
        super.init(localPath: nil)
        self.remoteUrl = remoteUrl
        self.name = name
    }

    override init(_ fields: ContentFields) {
        size = fields.integer("size") ?? 0
        fileType = fields.string("type") ?? ""
        super.init(fields)
        remoteUrl = fields.string("fileUrl")
    }

    override public class var messageType: String { MessageType.file }
    override public var conversationDigest: String? { name }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        try super.write(&fields, isLocal: isLocal)
        fields.set("size", size)
        fields.set("type", fileType)
        fields.set("fileUrl", remoteUrl)
    }
}

/// A content with a voice recording of at most one minute.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCHDVoiceMessage) @objcMembers
#endif
public final class HDVoiceMessage: MediaMessageContent, @unchecked Sendable {
    /// The length of the recording in seconds.
    @Guarded public var duration: Int

    /// Creates a content with a recording on this device; `duration` is in seconds.
    public init(localPath: String?, duration: Int) {
        self.duration = duration
        super.init(localPath: localPath)
    }

    override init(_ fields: ContentFields) {
        duration = fields.integer("duration").flatMap { Int(exactly: $0) } ?? 0
        super.init(fields)
        remoteUrl = fields.string("remoteUrl")
    }

    override public class var messageType: String { MessageType.hdVoice }

    override func write(_ fields: inout ContentFields, isLocal: Bool) throws(NCError) {
        try super.write(&fields, isLocal: isLocal)
        fields.set("remoteUrl", remoteUrl)
        fields.set("duration", duration)
    }
}

/// Reads properties of a file on this device without reading its content.
enum LocalFile {
    /// The size of the file in bytes; 0 when there is no such file.
    static func size(_ path: String?) -> Int64 {
        guard let path, let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return 0 }
        return (attributes[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// The file name extension of a path: the text after the last dot of its last part.
    static func suffix(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }
}
