import Foundation

/// Puts files where other users can fetch them. The application supplies one with ``NCEngine/setMediaUploader(_:)``: this service
/// sends files by reference and stores none. An addition to the vendor's SDK.
///
/// ```swift
/// struct Bucket: MediaUploader {
///     func upload(_ file: MediaFile, progress: @escaping @Sendable (Int) -> Void) async throws -> String { … }
/// }
/// ```
public protocol MediaUploader: Sendable {
    /// Uploads a file. Cancelling the sending cancels the task that this runs in.
    ///
    /// - Parameter progress: takes how many percent are done; may be called from any thread.
    /// - Returns: the URL by which everybody can fetch the file.
    func upload(_ file: MediaFile, progress: @escaping @Sendable (Int) -> Void) async throws -> String
}

/// A file to upload.
public struct MediaFile: Hashable, Sendable {
    /// Where it is on this device.
    public var localPath: String
    public var name: String
    /// The type of the message that it belongs to.
    public var messageType: String
}

extension NCEngine {
    /// Says how files of messages are uploaded; nil for not at all. An addition to the vendor's SDK.
    public static func setMediaUploader(_ uploader: (any MediaUploader)?) {
        registry.chat.media.uploader = uploader
    }
}
