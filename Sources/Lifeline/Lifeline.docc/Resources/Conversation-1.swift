import Lifeline

/// What a chat screen shows.
@MainActor final class Conversation {
    private(set) var lines: [String] = []
    private(set) var isOnline = false
}
