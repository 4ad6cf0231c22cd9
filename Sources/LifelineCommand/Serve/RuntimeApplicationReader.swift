import LifelineServer
import ServerStorage
import WireCoding

// Applications that are made at run time have the same fields as applications in the file, with the same ranges and errors (rule AR-6).
extension ApplicationReader {
    static let fields = ApplicationReader { service, object throws(ApplicationProblem) in
        do throws(CommandFailure) {
            let json: JSONText
            do throws(JSONSyntaxError) {
                json = try JSONText(object.text)
            } catch {
                throw CommandFailure("application has to be an object of settings.", .usage)
            }
            let value = SettingValue("application", json: json)
            switch service {
            case .pusher: return .pusher(try ApplicationSetting.fields.application(value))
            case .pubnub: return .pubnub(try KeysetSetting.fields.application(value))
            case .chat: return .chat(try ChatSetting.fields.application(value))
            }
        } catch {
            throw .invalid(error.messages.joined(separator: " "))
        }
    }
}

extension ServeSettings {
    /// The settings of applications that are made at run time.
    var runtimeApplications: RuntimeApplicationSettings {
        var settings = RuntimeApplicationSettings(
            services: Set(services.compactMap { ApplicationService(rawValue: $0.word) }), reader: .fields)
        settings.maximum = maxApplications
        settings.key = applicationsKey
        return settings
    }

    static func applicationsKey(_ value: SettingValue) throws(CommandFailure) -> Secret {
        let text = try value.string()
        guard ApplicationSeal.lengths.contains(text.utf8.count) else {
            throw value.failure(
                "must have \(ApplicationSeal.lengths.lowerBound) to \(ApplicationSeal.lengths.upperBound) bytes, such as the output of "
                    + "openssl rand -base64 32.")
        }
        return Secret(text)
    }
}
