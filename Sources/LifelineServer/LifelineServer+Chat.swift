import ChatServer
import ServerStorage

// Methods for chat, for programs that embed a server.
extension LifelineServer {
    /// Registers a user of a chat application, or updates the user's name, and issues an access token, as the server API does.
    ///
    /// - Parameters:
    ///   - app: the application's key; by default that of the development application.
    ///   - user: the user's id, 1 … 64 characters.
    ///   - name: the user's name; nil does not change it.
    /// - Returns: the token, after it was stored. Tokens that were issued earlier remain valid.
    /// - Throws: ``ServerError/unknownChatApplication(key:)``; ``ServerError/invalidMessage(_:)`` for an invalid id or name;
    ///   ``ServerError/notStored``.
    public func issueChatToken(
        app: String = ChatApplication.development.key, user: String, name: String? = nil
    ) async throws -> String {
        do throws(ChatTokenProblem) {
            return try await services.chat.issueToken(app: app, user: user, name: name)
        } catch {
            switch error {
            case .unknownApplication: throw ServerError.unknownChatApplication(key: app)
            case .invalid(let reason): throw ServerError.invalidMessage(reason)
            case .notStored: throw ServerError.notStored
            }
        }
    }

    /// Ends every chat session and asks the clients to reconnect, each after a random pause.
    public func disconnectChat() {
        services.chat.drainSessions()
    }
}
