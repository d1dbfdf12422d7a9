// Dark, light, or what the system says.
const NEXT = { system: "dark", dark: "light", light: "system" };

export function wireTheme(button) {
    const root = document.documentElement;
    const show = () => {
        const now = root.dataset.theme ?? "system";
        button.textContent = `Theme: ${now}`;
        button.setAttribute("aria-label", `Theme: ${now}. Press for ${NEXT[now]}.`);
    };
    button.addEventListener("click", () => {
        const next = NEXT[root.dataset.theme ?? "system"];
        if (next === "system") delete root.dataset.theme;
        else root.dataset.theme = next;
        try {
            if (next === "system") localStorage.removeItem("jobhost.theme");
            else localStorage.setItem("jobhost.theme", next);
        } catch { /* storage may be switched off: the choice lasts until the tab closes */ }
        show();
    });
    show();
}
