import NexconnProtocol
import RealtimeHub
import WireCoding

// Chat, for programs that have a server inside.
extension LifelineServer {
    /// Registers a user of a chat application, or brings the name up to date, and gives out a token to connect with, as the server
    /// API does.
    ///
    /// - Parameters:
    ///   - app: the application's key; by default that of the development application.
    ///   - user: 1 … 64 characters.
    ///   - name: nil leaves a name as it is.
    /// - Returns: the token, once it is stored. Tokens that were given out before stay valid.
    /// - Throws: ``ServerError``.
    public func issueChatToken(
        app: String = ChatApplication.development.key, user: String, name: String? = nil
    ) async throws -> String {
        guard let application = core.nexconn.application(key: app) else { throw ServerError.unknownChatApplication(key: app) }
        let token = NexconnApplication.newToken()
        let hash = NexconnApplication.hash(ofToken: token)
        return try await withCheckedThrowingContinuation { continuation in
            application.change(
                { book, change in
                    try book.issueToken(
                        hash: hash, to: user, name: name, avatar: nil, at: change.now, into: &change.commit)
                    return token
                },
                completion: { (result: Result<String, NexconnRefusal>) in
                    continuation.resume(
                        with: result.mapError { refusal in
                            refusal.code == .storageFailed ? ServerError.notStored : .invalidMessage(refusal.reason)
                        })
                })
        }
    }

    /// Ends every chat session with the request to come back, each after a pause of its own.
    public func disconnectChat() {
        core.drainChat()
    }
}

extension NexconnApplication {
    /// 256 random bits.
    static func newToken() -> String {
        var random = SystemRandomNumberGenerator()
        return Hex.text((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
    }
}
