import { bootstrapApplication } from "@angular/platform-browser";
import { Portal } from "./portal";

bootstrapApplication(Portal).catch((error) => console.error(error));
