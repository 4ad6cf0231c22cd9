import Foundation

/// Uploads files to a server from which other users can fetch them. The application sets an uploader with
/// ``NCEngine/setMediaUploader(_:)``, because this service stores no files; a message contains only the address of its file. An addition to
/// the vendor's SDK.
///
/// ```swift
/// struct Bucket: MediaUploader {
///     func upload(_ file: MediaFile, progress: @escaping @Sendable (Int) -> Void) async throws -> String { … }
/// }
/// ```
public protocol MediaUploader: Sendable {
    /// Uploads a file. If the sending is cancelled, the task that runs this function is cancelled.
    ///
    /// - Parameters:
    ///   - file: the file.
    ///   - progress: call it with the uploaded percentage, from any thread.
    /// - Returns: the address from which receivers fetch the file.
    /// - Throws: any error; the message then fails with error 34011.
    func upload(_ file: MediaFile, progress: @escaping @Sendable (Int) -> Void) async throws -> String
}

/// A file to upload.
public struct MediaFile: Hashable, Sendable {
    /// The path of the file on this device.
    public var localPath: String
    /// The file's name that receivers see.
    public var name: String
    /// The type of the message that the file belongs to.
    public var messageType: String
}

extension NCEngine {
    /// Sets the uploader for files of messages; nil removes it. An addition to the vendor's SDK.
    public static func setMediaUploader(_ uploader: (any MediaUploader)?) {
        registry.chat.media.uploader = uploader
    }
}
