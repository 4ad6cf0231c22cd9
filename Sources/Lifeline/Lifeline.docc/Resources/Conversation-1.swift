import Lifeline

/// The state of a chat screen: its lines and whether the client is online.
@MainActor final class Conversation {
    private(set) var lines: [String] = []
    private(set) var isOnline = false
}
