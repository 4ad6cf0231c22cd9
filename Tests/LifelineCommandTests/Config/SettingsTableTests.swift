import ArgumentParser
import Foundation
import Testing

@testable import LifelineCommand

/// The settings of the whole server as entries of one table (rules SO-140 and SO-141).
struct SettingsTableTests {
    private let documents = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs")

    @Test func `SO-140: each setting has a name, a variable and a sentence of its own`() {
        let all = ServerSetting.all
        #expect(Set(all.map(\.name)).count == all.count && Set(all.map(\.variable)).count == all.count)
        #expect(Set(all.map(\.meaning)).count == all.count)
        for setting in all {
            #expect(setting.meaning.first?.isUppercase == true && setting.meaning.last != ".", "\(setting.name)")
            #expect(setting.more.isEmpty || (setting.more.first?.isUppercase == true && setting.more.last != "."))
        }
        #expect(ServerSetting.groups == ["tls": ["cert", "key", "checkInterval"]])
    }

    @Test func `SO-140: help says of each option what the table says`() {
        let help = ServeCommand.helpMessage(columns: 4_000)
        for setting in ServerSetting.all {
            guard let option = setting.optionName else { continue }
            #expect(help.contains("  \(option)"), "\(option)")
            #expect(help.contains(setting.meaning), "\(setting.name)")
            if let value = setting.defaultText { #expect(help.contains("\(setting.meaning) (default: \(value)).")) }
        }
    }

    @Test func `SO-140: what an option gives counts, with the option as its source`() throws {
        let options = try ServeOptions.parse([
            "--host", "::1", "--port", "1", "--data", "d", "--services", "pusher", "--no-bridge", "--log-level", "info",
            "--path-prefix", "/p", "--cors-origin", "http://a", "--cors-origin", "http://b", "--threads", "2", "--tls-cert", "c",
            "--tls-key", "k", "--max-connections", "3", "--admin-port", "4", "--admin-name", "n", "--public-metrics",
        ])
        let rows = try ConfigListing(options, environment: [:]).rows.filter { $0.source.hasPrefix("--") }
        #expect(
            rows.map(\.source).sorted()
                == [
                    "--admin-name", "--admin-port", "--cors-origin", "--data", "--host", "--log-level", "--max-connections",
                    "--no-bridge", "--path-prefix", "--port", "--public-metrics", "--services", "--threads", "--tls-cert",
                    "--tls-key",
                ])
        #expect(rows.first { $0.name == "corsOrigins" }?.value == .strings(["http://a", "http://b"]))
    }

    @Test func `SO-141: the table of the documentation is the one that the program prints`() throws {
        let table = SettingsTable.markdown.joined(separator: "\n")
        let pages =
            FileManager.default.enumerator(at: documents, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        let holders = pages.filter { page in
            page.pathExtension == "md" && (try? String(contentsOf: page, encoding: .utf8))?.contains(table) == true
        }
        #expect(holders.count == 1, "Put the output of 'lifeline config list --markdown' where the settings of the server are.")
    }

    @Test func `SO-141: config list has a paragraph and a line of JSON for each setting`() {
        #expect(SettingsTable.jsonLines.count == ServerSetting.all.count)
        #expect(
            SettingsTable.jsonLines.contains(
                #"{"setting":"threads","variable":"LIFELINE_THREADS","option":"--threads","#
                    + #""default":"one for each processor that the server may use","range":"1 … 64","#
                    + #""meaning":"Threads for connections, 1 to 64","reload":false}"#))
        #expect(SettingsTable.lines.contains("tls.checkInterval  (LIFELINE_TLS_CHECK_INTERVAL)"))
        #expect(SettingsTable.lines.contains("    0 (never) … 86400; default: 10"))
        for setting in ServerSetting.all {
            #expect(SettingsTable.lines.contains { $0.hasPrefix("\(setting.name)  (\(setting.variable)") })
        }
    }
}
