import Foundation

/// A file.
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

    /// A file on this device.
    public init(localPath: String) {
        size = LocalFile.size(localPath)
        fileType = LocalFile.suffix(localPath)
        super.init(localPath: localPath)
    }

    /// A file that is on a server already.
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

/// A voice recording of at most a minute.
///
/// `@unchecked Sendable`: every property is constant or `Guarded`, which protects it with a lock.
#if canImport(ObjectiveC)
    @objc(NCHDVoiceMessage) @objcMembers
#endif
public final class HDVoiceMessage: MediaMessageContent, @unchecked Sendable {
    /// The length of the recording in seconds.
    @Guarded public var duration: Int

    /// A recording on this device; `duration` in seconds.
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

/// The properties of a file on this device that are known without reading it.
enum LocalFile {
    /// The size in bytes; 0 when there is no such file.
    static func size(_ path: String?) -> Int64 {
        guard let path, let attributes = try? FileManager.default.attributesOfItem(atPath: path) else { return 0 }
        return (attributes[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// Returns the text after the last dot in the last part of a path.
    static func suffix(_ path: String) -> String {
        let name = path.split(separator: "/").last ?? ""
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
        return String(name[name.index(after: dot)...])
    }
}
