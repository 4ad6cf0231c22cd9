import Testing

@testable import LifelineCommand

@Suite("Names of settings (rules SO-1 and SO-2)")
struct SettingNamesTests {
    @Test(
        "Names become variables",
        arguments: [
            ("host", "LIFELINE_HOST"), ("pathPrefix", "LIFELINE_PATH_PREFIX"), ("tls.cert", "LIFELINE_TLS_CERT"),
            ("app.limits.userIDBytes", "LIFELINE_APP_LIMITS_USER_ID_BYTES"), ("app.requireTLS", "LIFELINE_APP_REQUIRE_TLS"),
        ])
    func variables(name: String, variable: String) {
        #expect(SettingNames.variable(name) == variable)
    }

    @Test("Variables of single applications are those of their settings, and every setting has its own")
    func unique() {
        let variables =
            ApplicationSetting.fields.variables + KeysetSetting.fields.variables + ChatSetting.fields.variables
        #expect(Set(variables).count == variables.count)
        #expect(variables.contains("LIFELINE_APP_CLIENT_EVENTS"))
        #expect(variables.contains("LIFELINE_APP_LIMITS_CACHE_LIFETIME"))
        for name in ["PUBNUB_ACCESS_MANAGER", "PUBNUB", "NEXCONN", "NEXCONN_PREVIOUS_SECRET", "TLS_KEY"] {
            #expect(ServerSetting.variables.contains("LIFELINE_\(name)"))
        }
    }

    private func failure(_ names: [String], known: [String], in place: String) -> String? {
        var problems = SettingProblems()
        _ = SettingNames.check(names.map { ($0, SettingValue($0, text: "")) }, known: known, in: place, &problems)
        #expect(problems.failure?.kind == .usage)
        return problems.failure?.message
    }

    @Test("An unknown name is named, and what there is")
    func unknown() {
        #expect(failure(["host", "prot"], known: ["host", "port"], in: "") == "There is no setting prot. Did you mean port?")
        #expect(
            failure(["host", "node"], known: ["host", "port"], in: "") == "There is no setting node. The settings are host, port."
        )
    }

    @Test("A name that could confuse a terminal is not repeated as it is")
    func unprintable() {
        #expect(
            failure(["\u{1B}[2Ja\nb"], known: ["host"], in: "apps[0]")
                == "There is no setting apps[0].[2Jab. The settings in apps[0] are host.")
    }
}
