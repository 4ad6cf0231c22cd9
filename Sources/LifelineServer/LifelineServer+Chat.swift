import ChatServer
import RealtimeHub

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

    /// Ends every chat session with the request to come back, each after a pause of its own.
    public func disconnectChat() {
        services.chat.drainSessions()
    }
}
