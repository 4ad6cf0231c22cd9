import Foundation
import LifelineServer
import ServerStorage

/// Reads a webhook of an application from the configuration (rule SO-1).
enum WebhookSetting {
    private static let fields = ["url", "events", "channelPrefix", "channelSuffix", "batches", "headers"]

    /// - Parameter value: an object, or a text that contains only the address.
    static func webhook(_ given: SettingValue) throws(CommandFailure) -> Webhook {
        // The value is confidential, because addresses and headers may contain credentials.
        let value = given.confidential
        if case .json(let json) = value.content, json.kind == .string { return Webhook(url: try address(value)) }
        if case .text = value.content { return Webhook(url: try address(value)) }
        var webhook = Webhook(url: "")
        var problems = SettingProblems()
        let members = try value.members(of: fields, &problems)
        try problems.check()
        for (key, value) in members where !value.isNullJSON {
            switch key {
            case "url": webhook.url = try address(value)
            case "events": webhook.events = try events(value)
            case "channelPrefix": webhook.channelPrefix = try value.string()
            case "channelSuffix": webhook.channelSuffix = try value.string()
            case "batches": webhook.batches = try value.truth()
            default: webhook.headers = try headers(value)
            }
        }
        guard !webhook.url.isEmpty else {
            throw CommandFailure("The setting \(value.name).url\(SettingValue.suffix(value.place)) is missing.", .usage)
        }
        return webhook
    }

    static func address(_ value: SettingValue) throws(CommandFailure) -> String {
        let value = value.confidential
        let text = try value.string()
        guard let parts = URLComponents(string: text), ["http", "https"].contains(parts.scheme?.lowercased() ?? ""),
            parts.host?.isEmpty == false
        else { throw value.wrong("an address such as https://example.com/hook") }
        return text
    }

    private static func events(_ value: SettingValue) throws(CommandFailure) -> Set<Webhook.Event> {
        let names = try value.strings()
        let events = names.compactMap { Webhook.Event(rawValue: $0) }
        guard events.count == names.count, !events.isEmpty else {
            throw value.wrong("a list of " + Webhook.Event.allCases.map(\.rawValue).joined(separator: ", "))
        }
        return Set(events)
    }

    private static func headers(_ value: SettingValue) throws(CommandFailure) -> [String: String] {
        guard case .json(let json) = value.content, let members = json.members else { throw value.wrong("an object of strings") }
        var headers: [String: String] = [:]
        var seen: Set<String> = []
        for member in members {
            // Control characters and separators are refused, because they could end the header field and begin another one.
            guard let text = member.value.string, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), !member.key.isEmpty,
                member.key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) })
            else { throw value.wrong("an object of header fields, names and texts without line breaks") }
            guard Webhook.sends(header: member.key, value: text) else {
                throw value.failure("must not have \(member.key), which the server writes itself.")
            }
            guard seen.insert(member.key.lowercased()).inserted else {
                throw value.failure("must be without repetition: \(member.key) is there twice.")
            }
            headers[member.key] = text
        }
        return headers
    }
}
