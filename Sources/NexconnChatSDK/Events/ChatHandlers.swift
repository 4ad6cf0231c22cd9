/// The handlers of messages, channels, groups, open channels and users.
final class ChatHandlers: Sendable {
    let messages = HandlerList<any MessageHandler>()
    let channels = HandlerList<any ChannelHandler>()
    let groups = HandlerList<any GroupChannelHandler>()
    let openChannels = HandlerList<any OpenChannelHandler>()
    let users = HandlerList<any UserHandler>()
}

// All handlers are held weakly; the same identifier again replaces the handler (rules NC-20, NC-21).
extension NCEngine {
    /// Calls `handler` for messages and what becomes of them. Before connecting, or what had been missed comes unheard.
    public static func addMessageHandler(identifier: String, handler: any MessageHandler) {
        registry.chat.messages.add(identifier) { [weak handler] in handler }
    }

    /// Forgets the handler of this identifier.
    public static func removeMessageHandler(forIdentifier identifier: String) {
        registry.chat.messages.remove(identifier)
    }

    /// Calls `handler` for what happens to the user's channels.
    public static func addChannelHandler(identifier: String, handler: any ChannelHandler) {
        registry.chat.channels.add(identifier) { [weak handler] in handler }
    }

    /// Forgets the handler of this identifier.
    public static func removeChannelHandler(forIdentifier identifier: String) {
        registry.chat.channels.remove(identifier)
    }

    /// Calls `handler` for what happens in the user's groups.
    public static func addGroupChannelHandler(identifier: String, handler: any GroupChannelHandler) {
        registry.chat.groups.add(identifier) { [weak handler] in handler }
    }

    /// Forgets the handler of this identifier.
    public static func removeGroupChannelHandler(forIdentifier identifier: String) {
        registry.chat.groups.remove(identifier)
    }

    /// Calls `handler` for what happens in open channels.
    public static func addOpenChannelHandler(identifier: String, handler: any OpenChannelHandler) {
        registry.chat.openChannels.add(identifier) { [weak handler] in handler }
    }

    /// Forgets the handler of this identifier.
    public static func removeOpenChannelHandler(forIdentifier identifier: String) {
        registry.chat.openChannels.remove(identifier)
    }

    /// Calls `handler` for what happens to users that were subscribed to.
    public static func addUserHandler(identifier: String, handler: any UserHandler) {
        registry.chat.users.add(identifier) { [weak handler] in handler }
    }

    /// Forgets the handler of this identifier.
    public static func removeUserHandler(forIdentifier identifier: String) {
        registry.chat.users.remove(identifier)
    }
}
