import ChatProtocol
import WireCoding

// Calls of the server API about users' settings of channels (rule NA-33).
extension ChatAPICall {
    func performSettings(_ route: ChatAPIRoute) throws {
        let user = try fields.id("userId")
        let conversation = try fields.conversation("channelType", [.direct, .group, .open, .system])
        switch route {
        case .setPinned:
            guard let isPinned = try fields.optionalFlag("isPinned") else { throw ChatAPIProblem.field("isPinned", "0 or 1") }
            perform(
                .set(ChatChannelSettings(conversation: conversation, id: try fields.id("targetId").text, isPinned: isPinned)),
                as: user)
        case .setPush, .setTypePush:
            let level = try fields.whole("level", -1...5)
            guard ChatProtocolLimits.levels.contains(level) else {
                throw ChatAPIProblem.field("level", "one of -1, 0, 1, 2, 4 and 5")
            }
            let id = route == .setPush ? try fields.id("targetId").text : nil
            perform(.set(ChatChannelSettings(conversation: conversation, id: id, level: level)), as: user)
        default:
            let id = route == .push ? try fields.id("targetId") : nil
            try read { state in
                let setting = state.settings(of: user).first { setting in
                    setting.target.map { $0.kind == ChatKind(conversation) && $0.id == id } ?? false
                }
                return ["level": .whole(setting?.level ?? 0)]
            }
        }
    }
}
