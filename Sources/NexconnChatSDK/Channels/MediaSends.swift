import ChatProtocol
import Identifiers
import NIOConcurrencyHelpers

/// The file uploads in progress, of all sign-ins since the process began. The key is the client id of the message, which is unique (rule
/// NH-16).
final class MediaSends: Sendable {
    private struct Upload {
        /// The number of the client, one for each sign-in, whose user sends the file.
        var owner: UInt64
        var cancel: @Sendable (NCError) -> Void
    }

    private struct State {
        var uploader: (any MediaUploader)?
        var uploads: [Identifier: Upload] = [:]
    }

    private let state = NIOLockedValueBox(State())

    var uploader: (any MediaUploader)? {
        get { state.withLockedValue { $0.uploader } }
        set {
            let former = state.withLockedValue { state in
                let former = state.uploader
                state.uploader = newValue
                return former
            }
            // The former uploader is released here, outside of the lock, because its `deinit` may call the SDK.
            _ = former
        }
    }

    func begin(_ clientID: String, of owner: UInt64, cancel: @escaping @Sendable (NCError) -> Void) {
        state.withLockedValue { $0.uploads[Identifier(clientID)] = Upload(owner: owner, cancel: cancel) }
    }

    /// Ends an upload. It is called by the upload's completion and by its cancellation; only the first call returns true.
    func end(_ clientID: String) -> Bool {
        state.withLockedValue { $0.uploads.removeValue(forKey: Identifier(clientID)) } != nil
    }

    /// Cancels the upload of a message's file. Returns false when there is none.
    func cancel(_ clientID: String?) -> Bool {
        guard let clientID, let upload = state.withLockedValue({ $0.uploads.removeValue(forKey: Identifier(clientID)) }) else {
            return false
        }
        upload.cancel(NCError(code: 33200))
        return true
    }

    /// Cancels all uploads of a sign-in that has ended.
    func endAll(of owner: UInt64) {
        let over = state.withLockedValue { state in
            let over = state.uploads.filter { $0.value.owner == owner }
            for id in over.keys { state.uploads[id] = nil }
            return over.values.map(\.cancel)
        }
        for cancel in over {
            cancel(NCError(.released, reason: "The connection was ended by disconnect or by another sign-in."))
        }
    }
}

/// Filters the percentages of an upload: only values from 0 to 100 that are greater than the last one pass.
struct ProgressGate: Sendable {
    private let last = NIOLockedValueBox(-1)

    func passes(_ percent: Int) -> Bool {
        last.withLockedValue { last in
            guard percent > last, percent <= 100 else { return false }
            last = percent
            return true
        }
    }
}
